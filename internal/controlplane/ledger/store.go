package ledger

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"ipxe-all-ready/internal/atomicfile"
	"ipxe-all-ready/internal/netboot"
)

// store writes what a group changed. The order is what a crash may leave: a
// name is retired before its worker goes, a binding stands before its worker
// and goes after it. On an error everything written is put back, as far as it
// can be.
func (b *book) store(t touched) error {
	var back []func() error
	err := b.storeAll(t, func(undo func() error) { back = append(back, undo) })
	if err == nil {
		return nil
	}
	for _, undo := range slices.Backward(back) {
		if failed := undo(); failed != nil {
			b.o.Log.Error("ledger not put back", "err", failed)
			err = errors.Join(err, errUnsettled)
		}
	}
	return err
}

// errUnsettled says that a file which was written could not be put back after
// the write of another, or its flush, had failed.
var errUnsettled = errors.New("the file could not be put back")

// undoable hears how a write that was made can be taken back.
type undoable func(undo func() error)

func (b *book) storeAll(t touched, written undoable) error {
	if t.settings {
		if err := b.storeSettings(written); err != nil {
			return err
		}
	}
	later := []byte(nil)
	if t.hosts {
		content, more := b.hosts.Keeping(b.hostsText)
		if more {
			later = b.hosts.Bytes()
		}
		if err := b.storeHosts(content, written); err != nil {
			return err
		}
	}
	if t.workers {
		if err := b.fillWorkers(); err != nil {
			return err
		}
		if err := b.storeSheet(&b.files.workers, b.workerSheet, 0o644, written); err != nil {
			return err
		}
	}
	if t.agents {
		if err := b.fillAgents(); err != nil {
			return err
		}
		if err := b.storeSheet(&b.files.agents, b.agentSheet, 0o600, written); err != nil {
			return err
		}
	}
	if later != nil {
		return b.storeHosts(later, written)
	}
	return nil
}

func (b *book) storeSettings(written undoable) error {
	old, existed := b.settingsText, b.files.settings.known.exists
	text, err := writeSettings(old, b.settings)
	if err != nil {
		return err
	}
	s := &b.files.settings
	err = s.replace(0o644, content(text))
	if err == nil || s.stale {
		b.settingsText = text
		written(func() error {
			b.settingsText = old
			return s.putBack(existed, 0o644, content(old))
		})
	}
	return err
}

func content(text []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}
}

// storeHosts rewrites the hosts file in place.
func (b *book) storeHosts(text []byte, written undoable) error {
	old := b.hostsText
	if bytes.Equal(old, text) {
		return nil
	}
	if err := b.rewriteHosts(old, text); err != nil {
		return err
	}
	written(func() error {
		err := b.rewriteHosts(text, old)
		if err != nil && !errors.Is(err, errEdited) {
			b.files.hosts.stale = true // what it says is true then
		}
		return err
	})
	return nil
}

func (b *book) rewriteHosts(old, text []byte) error {
	s := &b.files.hosts
	if s.edited() {
		return errEdited
	}
	if err := s.may(); err != nil {
		return err
	}
	info, err := s.disk.rewrite(s.path, b.o.JournalFile, old, text)
	if err != nil {
		s.stale = true
		if errors.Is(err, atomicfile.ErrChanged) || errors.Is(err, fs.ErrNotExist) {
			return errors.Join(errEdited, err)
		}
		return unwritten(s.path, err)
	}
	s.wrote(info)
	b.hostsText = text
	return nil
}

func (b *book) storeSheet(s *source, sh *sheet, perm fs.FileMode, written undoable) error {
	existed := s.known.exists
	err := s.replace(perm, sh.writeTo)
	if err == nil || s.stale {
		written(func() error {
			sh.rollback()
			return s.putBack(existed, perm, sh.writeTo)
		})
	}
	return err
}

// putBack writes what stood before, or removes a file that did not stand.
// Where that fails the file is read again: what it says is true then.
func (s *source) putBack(existed bool, perm fs.FileMode, write func(io.Writer) error) (err error) {
	s.stale = false // it is as we wrote it, and only its flush failed
	if existed {
		err = s.replace(perm, write)
		s.stale = err != nil
		return err
	}
	if err = s.may(); err == nil {
		err = os.Remove(s.path)
	}
	if err != nil {
		s.stale = true
		return err
	}
	s.known = stampOf(s.path)
	return nil
}

// replace writes the file anew, unless somebody changed it up to the last instant.
func (s *source) replace(perm fs.FileMode, write func(io.Writer) error) error {
	if err := s.may(); err != nil {
		return err
	}
	if err := errors.Join(s.atHome(), s.keepOlder()); err != nil {
		return unwritten(s.path, err)
	}
	info, err := s.disk.replace(s.path, perm, write, func() error {
		if s.edited() {
			return errEdited
		}
		return errors.Join(s.atHome(), s.may()) // a large ledger takes its time
	})
	if info != nil {
		s.wrote(info)
		s.older = nil
	}
	if err != nil && info != nil {
		s.stale = true // renamed, though nobody knows whether a power cut would undo it
	}
	return unwritten(s.path, err)
}

// fillWorkers brings the sheet up to the changed workers.
func (b *book) fillWorkers() error {
	for _, id := range slices.SortedFunc(maps.Keys(b.changedWorkers), func(x, y netboot.WorkerID) int {
		return naturally(x.String(), y.String())
	}) {
		w, ok := b.workerByID(id)
		if was, stood := b.shown.Worker(id); was == w && ok == stood {
			continue // changed and changed back: its text stays as it is
		}
		if !ok {
			b.workerSheet.remove(id.String())
			continue
		}
		text, err := b.workerSheet.workerText(w)
		if err != nil {
			return err
		}
		b.workerSheet.put(id.String(), text)
	}
	return nil
}

func (b *book) fillAgents() error {
	for id := range b.changedAgents {
		a, ok := findAgent(b.agents, id)
		if was, stood := b.shown.Agent(id); was == a && ok == stood {
			continue
		}
		if !ok {
			b.agentSheet.remove(id.String())
			continue
		}
		text, err := b.agentSheet.rowText(id.String(), agentFields(a))
		if err != nil {
			return err
		}
		b.agentSheet.put(id.String(), text)
	}
	return nil
}

// undo takes a whole group back after its write failed.
func (b *book) undo(g group) {
	for _, tx := range slices.Backward(g.undo) {
		tx.rollback()
	}
	b.workerSheet.rollback()
	b.agentSheet.rollback()
	b.settle()
}

// settle ends a group: what it changed stands, or has been undone.
func (b *book) settle() {
	clear(b.changedWorkers)
	clear(b.changedNames)
	clear(b.changedAgents)
	b.hosts.Settle()
	b.workerSheet.settle()
	b.agentSheet.settle()
}
