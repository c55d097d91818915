package ledger

import (
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// guarded is a site of two workers whose ledger may write until it is told no.
func guarded(t *testing.T) (h *house, dir string, lost *atomic.Bool) {
	t.Helper()
	dir, lost = t.TempDir(), &atomic.Bool{}
	fill(t, dir, 2)
	h = open(t, dir, func(o *Options) {
		o.May = func() error {
			if lost.Load() {
				return fault.New(fault.Unavailable, "the lock is lost")
			}
			return nil
		}
	})
	return h, dir, lost
}

// tree is all that stands in a folder, with modes and the links of files.
func tree(t *testing.T, dir string) (text string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		text += fmt.Sprintf("%s %s %+v\n", path, info.Mode(), stampFrom(info).ino)
		if err == nil && info.Mode().IsRegular() {
			text += read(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestAnEditIsReadByOneWhoMayNotWriteAndNothingIsWritten(t *testing.T) {
	for name, edit := range map[string]struct {
		put  func(t *testing.T, o Options)
		seen func(l *Ledger) bool
	}{
		"a file that was not known before": {
			func(t *testing.T, o Options) { swap(t, o.SettingsFile, `{"auto_register":false}`) },
			func(l *Ledger) bool { return l.Snapshot().Settings().AutoRegister != nil },
		},
		"a hosts file that a rewrite of ours left half-way": {
			func(t *testing.T, o Options) {
				before := read(t, o.HostsFile)
				after := before + mac(9).String() + ",worker-09\n"
				write(t, o.WorkersFile+".hosts-journal", interrupted(before, after))
				swap(t, o.HostsFile, after[:len(after)-5])
			},
			func(l *Ledger) bool {
				f := l.Faults()
				return len(f) == 1 && f[0].Text == "a write of ipxe-cp was cut short and cannot be undone yet: the lock is lost"
			},
		},
		"nodes with a token, open to all": {
			func(t *testing.T, o Options) {
				swap(t, o.AgentsFile, "agents: {st1: {base_url: \"http://10.0.0.1:4840\", token: secret}}\n")
			},
			func(l *Ledger) bool { return len(l.Snapshot().Agents()) == 1 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, dir, lost := guarded(t)
			var before string
			h.commit(func(*Tx) error { // the committer looks the other way meanwhile
				lost.Store(true)
				edit.put(t, h.o)
				before = tree(t, dir)
				return nil
			})
			eventually(t, "it is seen", func() bool { return edit.seen(h.Ledger) })
			h.stop()
			if got := tree(t, dir); got != before {
				t.Errorf("it wrote\n%s\nwhere stood\n%s", got, before)
			}
		})
	}
}

// TestAGroupIsNotWrittenOnByOneWhoMayNotWriteAnyMore: what is half written then
// is as a crash leaves it, for who may write now.
func TestAGroupIsNotWrittenOnByOneWhoMayNotWriteAnyMore(t *testing.T) {
	h, _, lost := guarded(t)
	workers := read(t, h.o.WorkersFile)
	h.commit(func(tx *Tx) error {
		whole := *osDisk()
		tx.b.files.hosts.disk = &disk{replace: whole.replace, rewrite: func(path, journal string, old, new []byte) (fs.FileInfo, error) {
			info, err := whole.rewrite(path, journal, old, new)
			lost.Store(true)
			return info, err
		}}
		return nil
	})
	_, err := h.Commit(t.Context(), registered(mac(50), new(netboot.Hostname)))
	if want := "the lock is lost; what stood before could not be put back either: look whether it was changed"; fault.Sentence(err) != want {
		t.Errorf("%v", err)
	}
	if got := read(t, h.o.HostsFile); !strings.Contains(got, mac(50).String()) {
		t.Errorf("the bindings were written over:\n%s", got)
	}
	if got := read(t, h.o.WorkersFile); got != workers {
		t.Errorf("the workers were written:\n%s", got)
	}
	if _, bound := h.Snapshot().Binding(mac(50)); !bound {
		t.Error("what stands in the file is not shown")
	}
}

func TestALedgerIsNotPutInPlaceWhenTheRightToWriteEndsWhileItIsWritten(t *testing.T) {
	h, _, lost := guarded(t)
	before := read(t, h.o.WorkersFile)
	h.commit(func(tx *Tx) error {
		whole := *osDisk()
		tx.b.files.workers.disk = &disk{rewrite: whole.rewrite,
			replace: func(path string, perm fs.FileMode, content func(io.Writer) error, check func() error) (fs.FileInfo, error) {
				return whole.replace(path, perm, func(w io.Writer) error { err := content(w); lost.Store(true); return err }, check)
			}}
		return nil
	})
	_, err := h.Commit(t.Context(), func(tx *Tx) error { tx.PutWorker(plainWorker("worker-03")); return nil })
	if fault.Sentence(err) != "the lock is lost; nothing was changed" || read(t, h.o.WorkersFile) != before {
		t.Errorf("%v\n%s", err, read(t, h.o.WorkersFile))
	}
}
