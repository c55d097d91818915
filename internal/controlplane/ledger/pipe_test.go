package ledger

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// pipe puts a named pipe that nobody ever opens in the place of a file.
func pipe(t testing.TB, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
}

const notAFile = "this is a named pipe and no file; put the file back in its place"

func TestAPipeInTheHostsFilesPlaceHoldsUpNobody(t *testing.T) {
	for _, name := range []string{"workers", "agents", "settings", "hosts"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fill(t, dir, 2)
			h := open(t, dir)
			path := map[string]string{"workers": h.o.WorkersFile, "agents": h.o.AgentsFile, "settings": h.o.SettingsFile, "hosts": h.o.HostsFile}[name]
			pipe(t, path)
			eventually(t, "a fault", func() bool { return len(h.Faults()) == 1 })
			if f := h.Faults()[0]; f.File != path || f.Text != notAFile {
				t.Errorf("%+v", f)
			}
			h.commit(func(*Tx) error { return nil })
			_, err := h.Commit(t.Context(), registered(mac(50), new(netboot.Hostname)))
			if refused := name == "workers" || name == "hosts"; refused != (fault.CodeOf(err) == "ledger_unreadable") {
				t.Errorf("err = %v", err)
			}
			if _, _, ok := h.Snapshot().ByMAC(mac(2)); !ok {
				t.Error("the last good content is not served")
			}
			h.stop()
			again := open(t, dir)
			if f := again.Faults(); len(f) != 1 || f[0].File != path || f[0].Text != notAFile {
				t.Errorf("at the start: %v", f)
			}
		})
	}
}

func TestAPipeInThePlaceOfTheBootsFileIsForgotten(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 1)
	pipe(t, optionsIn(dir).BootsFile)
	h := open(t, dir)
	h.MarkBoot(h.worker("worker-01"), h.Ledger.o.Now())
	h.stop()
	if !strings.Contains(read(t, h.o.BootsFile), "worker-01") {
		t.Error("boots are not noted anew")
	}
}

func TestAPipeInTheJournalsPlaceRefusesTheWriteAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 1)
	h := open(t, dir)
	pipe(t, h.Ledger.o.JournalFile)
	_, err := h.Commit(t.Context(), func(tx *Tx) error { tx.Bind(mac(9), host("pc-09")); return nil })
	if want := "the ledger could not be written; nothing was changed (dhcp-hosts.conf: not a regular file)"; fault.Sentence(err) != want {
		t.Errorf("%v", err)
	}
	h.commit(func(tx *Tx) error { tx.PutSettings(Settings{Retired: []netboot.Hostname{host("a")}}); return nil })
}
