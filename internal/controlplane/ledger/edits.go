package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"ipxe-all-ready/internal/atomicfile"
	"ipxe-all-ready/internal/fault"
)

// errEdited says that a person changed a file while we were about to write it.
var errEdited = errors.New("the file is being edited")

// codeUnreadable is the code of a refusal because a person broke a file.
const codeUnreadable = "ledger_unreadable"

// look takes in what people edited, each file once it has settled.
func (l *Ledger) look() {
	var changed []*source
	for _, s := range l.book.files.all() {
		if s.edited() && s.settled() {
			changed = append(changed, s)
		}
	}
	l.take(changed)
}

// readEdits takes in every edit now, because a commit is about to build on it.
// An edit in its middle is waited for, though not for ever: one that goes on is
// found again before the write, which it stops.
func (l *Ledger) readEdits() {
	var changed []*source
	for _, s := range l.book.files.all() {
		if !s.edited() {
			continue
		}
		for range 6 {
			if s.settled() {
				changed = append(changed, s)
				break
			}
			time.Sleep(min(l.o.Poll, 100*time.Millisecond))
		}
	}
	l.take(changed)
}

func (l *Ledger) take(changed []*source) {
	if len(changed) == 0 {
		return
	}
	before, old, faults := l.book.hosts, l.Snapshot(), l.Faults()
	defer sparing()()
	for _, s := range changed {
		was := s.broken
		if l.book.undoHosts(s) && !s.read(l.o.Now()) {
			continue // being written again; the next look finds it
		}
		switch {
		case s.broken != nil && was != nil && was.Text == s.broken.Text:
		case s.broken != nil:
			l.o.Log.Error("edit cannot be read; the last good content is served", "file", s.path, "line", s.broken.Line, "fault", s.broken.Text)
		case was != nil:
			l.o.Log.Info("file is mended", "file", s.path)
		default:
			l.o.Log.Info("edit read", "file", s.path)
		}
	}
	l.book.judgeHostsAgain(changed)
	l.book.guardTokens()
	l.book.marker.note(l.book.files.all())
	l.publish()
	if slices.Contains(changed, &l.book.files.workers) {
		l.boots.rowsChanged()
	}
	l.tell(old, faults, true)
	l.book.settle()
	if before != l.book.hosts {
		l.reload.ask(1, 0)
	}
}

// sparing has the collector run early until the function that it returns is
// called: the parse of a large ledger makes several times of what is kept of it,
// which would stay as room for the next one.
func sparing() (done func()) {
	const early = 25 // percent of growth between two collections
	usual := debug.SetGCPercent(early)
	return func() {
		debug.SetGCPercent(usual)
		debug.FreeOSMemory()
	}
}

// judgeHostsAgain has a refused hosts file read anew when the workers changed:
// bindings that are gone with their workers are no loss.
func (b *book) judgeHostsAgain(changed []*source) {
	if b.files.hosts.broken != nil && slices.Contains(changed, &b.files.workers) {
		b.files.hosts.stale = true
	}
}

// undoHosts puts back what a rewrite of ours that failed has left half-way,
// before its remains are taken for a person's edit. Where that cannot be done
// yet it is tried again at the next look.
func (b *book) undoHosts(s *source) bool {
	if s != &b.files.hosts {
		return true
	}
	if _, err := os.Lstat(b.o.JournalFile); errors.Is(err, fs.ErrNotExist) {
		return true
	}
	err := s.may()
	if err == nil {
		_, err = atomicfile.Undo(b.o.HostsFile, b.o.JournalFile, b.hostsText)
	}
	if err != nil {
		s.blame(flawAt(0, "a write of ipxe-cp was cut short and cannot be undone yet: %s", causeOf(err)), b.o.Now())
		s.stale = true
		return false
	}
	return true
}

// writable refuses a change to a file that a person broke.
func (b *book) writable(t touched) error {
	for _, x := range b.files.named(t) {
		if f := x.broken; f != nil {
			where := filepath.Base(f.File)
			if f.Line > 0 {
				where = fmt.Sprintf("%s line %d", where, f.Line)
			}
			return fault.New(fault.Unavailable, "%s cannot be read and is not overwritten: %s", where, f.Text).WithCode(codeUnreadable)
		}
	}
	return nil
}

// named lists the files that t touches.
func (f *files) named(t touched) (list []*source) {
	for _, x := range []struct {
		yes bool
		s   *source
	}{{t.settings, &f.settings}, {t.hosts, &f.hosts}, {t.workers, &f.workers}, {t.agents, &f.agents}} {
		if x.yes {
			list = append(list, x.s)
		}
	}
	return list
}
