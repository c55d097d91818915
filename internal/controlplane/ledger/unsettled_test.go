package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// unflushed lets the next n writes of workers.yml fail when they are made, as
// those do whose folder could not be flushed.
func unflushed(h *house, n int) {
	whole := *osDisk()
	h.commit(func(tx *Tx) error {
		tx.b.files.workers.disk = &disk{rewrite: whole.rewrite,
			replace: func(path string, perm fs.FileMode, content func(io.Writer) error, check func() error) (fs.FileInfo, error) {
				info, err := whole.replace(path, perm, content, check)
				if n--; err == nil && n >= 0 {
					err = &fs.PathError{Op: "sync", Path: path, Err: syscall.EIO}
				}
				return info, err
			}}
		return nil
	})
}

func TestAChangeWhoseFolderCouldNotBeFlushedIsTakenBack(t *testing.T) {
	for _, existed := range []bool{true, false} {
		dir := t.TempDir()
		if existed {
			fill(t, dir, 2)
		}
		h := open(t, dir)
		unflushed(h, 1)
		before := h.Snapshot().Len()
		_, err := h.Commit(t.Context(), registered(mac(50), new(netboot.Hostname)))
		if err == nil || !strings.Contains(fault.Sentence(err), "nothing was changed (workers.yml: input/output error)") {
			t.Errorf("%v", err)
		}
		if h.Snapshot().Len() != before {
			t.Error("the refused worker is shown")
		}
		if _, bound := h.Snapshot().Binding(mac(50)); bound {
			t.Error("the refused binding is shown")
		}
		h.commit(registered(mac(50), new(netboot.Hostname)))
		h.stop()
		if l, err := Open(h.o); err != nil || l.Snapshot().Len() != before+1 {
			t.Errorf("read back: %v", err)
		}
	}
}

func TestAChangeThatCouldNotBeTakenBackIsNotSaidToBeNone(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 2)
	h := open(t, dir)
	unflushed(h, 2)
	_, err := h.Commit(t.Context(), registered(mac(50), new(netboot.Hostname)))
	want := "the ledger could not be written; what stood before could not be put back either: look whether it was changed (workers.yml: input/output error)"
	if fault.Sentence(err) != want {
		t.Errorf("%v", err)
	}
	h.commit(registered(mac(51), new(netboot.Hostname)))
	if h.Snapshot().Len() != 3 {
		t.Errorf("%d workers", h.Snapshot().Len())
	}
}

func TestARewriteThatFailedHalfWayIsUndoneAsSoonAsThatCanBe(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 3)
	h := open(t, dir)
	before := read(t, h.o.HostsFile)
	// A rewrite that stops in its middle and whose undoing fails: half a line of
	// the new content stands, and its journal.
	after := before + mac(9).String() + ",worker-09\n"
	h.commit(func(tx *Tx) error {
		tx.b.files.hosts.disk = &disk{replace: osDisk().replace,
			rewrite: func(path, journal string, old, new []byte) (fs.FileInfo, error) {
				write(t, journal, interrupted(before, after))
				write(t, path, after[:len(after)-5])
				tx.b.files.hosts.disk = osDisk()
				return nil, &fs.PathError{Op: "write", Path: path, Err: syscall.EIO}
			}}
		return nil
	})
	if _, err := h.Commit(t.Context(), registered(mac(9), new(netboot.Hostname))); err == nil {
		t.Error("it was acknowledged")
	}
	eventually(t, "it is put back", func() bool { return read(t, h.o.HostsFile) == before && len(h.Faults()) == 0 })
	h.commit(registered(mac(9), new(netboot.Hostname)))
	if _, err := os.Stat(h.o.WorkersFile + ".hosts-journal"); err == nil {
		t.Error("the journal is left")
	}
}

func TestAHalfRewriteThatCannotBeUndoneYetIsNamedAndTriedAgain(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 3)
	h := open(t, dir)
	before := read(t, h.o.HostsFile)
	after := before + mac(9).String() + ",worker-09\n"
	journal := h.o.WorkersFile + ".hosts-journal"
	h.commit(func(tx *Tx) error { // the committer looks the other way meanwhile
		if err := os.Symlink(dir, journal); err != nil { // a journal that cannot be read
			return err
		}
		write(t, h.o.HostsFile, after[:len(after)-5])
		return nil
	})
	eventually(t, "it is named", func() bool {
		f := h.Faults()
		return len(f) == 1 && strings.HasPrefix(f[0].Text, "a write of ipxe-cp was cut short and cannot be undone yet")
	})
	if _, bound := h.Snapshot().Binding(mac(3)); !bound {
		t.Error("the last good bindings are not served")
	}
	swap(t, journal, interrupted(before, after))
	eventually(t, "it is undone", func() bool { return read(t, h.o.HostsFile) == before && len(h.Faults()) == 0 })
}

// interrupted is the journal of a rewrite that appends: magic, what is kept at
// front and end, what is replaced and by what, hashes.
func interrupted(old, new string) string {
	b := []byte("ipxe rewrite 1\n")
	for _, n := range []int{len(old), 0, 0, len(new) - len(old)} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	kept := sha256.Sum256([]byte(old))
	b = append(append(b, kept[:]...), new[len(old):]...)
	sum := sha256.Sum256(b)
	return string(append(b, sum[:]...))
}
