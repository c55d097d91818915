package ledger

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// lived is a folder in which a ledger ran and wrote every file.
func lived(t *testing.T) (string, Options) {
	t.Helper()
	dir := t.TempDir()
	h := open(t, dir)
	h.commit(registered(mac(1), new(netboot.Hostname)))
	h.commit(func(tx *Tx) error {
		tx.PutSettings(Settings{Retired: []netboot.Hostname{host("old")}})
		tx.PutAgent(&Agent{ID: must(netboot.ParseAgentID("node-a")), BaseURL: "http://a:1"})
		return nil
	})
	h.stop()
	return dir, h.o
}

const missed = "the file has vanished since ipxe-cp last ran; put it back, or, if it is meant to be gone, remove its name from .known-files.json beside workers.yml and start again"

func TestALedgerThatWasLostWhileNobodyRanIsNoEmptyOne(t *testing.T) {
	dir, o := lived(t)
	for _, path := range []string{o.WorkersFile, o.AgentsFile, o.SettingsFile, o.HostsFile} {
		t.Run(filepath.Base(path), func(t *testing.T) {
			good := read(t, path)
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			h := open(t, dir)
			if f := h.Faults(); len(f) != 1 || f[0].File != path || f[0].Text != missed {
				t.Errorf("%v", f)
			}
			change := func(tx *Tx) error {
				tx.PutSettings(Settings{Retired: []netboot.Hostname{host("new")}})
				tx.DeleteAgent(must(netboot.ParseAgentID("node-a")))
				tx.PutAgent(&Agent{ID: must(netboot.ParseAgentID("node-b")), BaseURL: "http://a:1"})
				return registered(mac(2), new(netboot.Hostname))(tx)
			}
			if _, err := h.Commit(t.Context(), change); fault.CodeOf(err) != "ledger_unreadable" {
				t.Errorf("%v", err)
			}
			if _, err := os.Stat(path); err == nil {
				t.Error("it was made anew")
			}
			swap(t, path, good)
			eventually(t, "it is back", func() bool { return len(h.Faults()) == 0 && h.Snapshot().Len() == 1 })
			h.stop()
		})
	}
}

func TestALedgerTakenOutOfTheMarkerMayGo(t *testing.T) {
	dir, o := lived(t)
	marker := filepath.Join(filepath.Dir(o.WorkersFile), markerName)
	if got, want := read(t, marker), `{"schema":1,"files":["../config/agents.yml","../dnsmasq/dhcp-hosts.conf","settings.json","workers.yml"]}`+"\n"; got != want {
		t.Fatalf("the marker is %s", got)
	}
	if err := os.Remove(o.SettingsFile); err != nil {
		t.Fatal(err)
	}
	write(t, marker, strings.Replace(read(t, marker), `"settings.json",`, "", 1))
	h := open(t, dir)
	if f := h.Faults(); len(f) != 0 {
		t.Errorf("%v", f)
	}
	h.commit(func(tx *Tx) error { tx.PutSettings(Settings{Retired: []netboot.Hostname{host("a")}}); return nil })
	if got := read(t, marker); !strings.Contains(got, "settings.json") {
		t.Errorf("the new file is not noted: %s", got)
	}
}

func TestASiteThatMovedKnowsItsFiles(t *testing.T) {
	dir, o := lived(t)
	moved := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	if h := open(t, moved); len(h.Faults()) != 0 || h.Snapshot().Len() != 1 {
		t.Errorf("%v", h.Faults())
	}
	if err := os.Remove(filepath.Join(moved, "state", filepath.Base(o.WorkersFile))); err != nil {
		t.Fatal(err)
	}
	l, err := Open(optionsIn(moved))
	if err != nil || len(l.Faults()) != 1 {
		t.Errorf("%v, %v", l.Faults(), err)
	}
}

func TestAMarkerThatCannotBeReadIsBegunAnew(t *testing.T) {
	dir, o := lived(t)
	marker := filepath.Join(filepath.Dir(o.WorkersFile), markerName)
	for _, text := range []string{"", "{"} {
		write(t, marker, text)
		l, err := Open(optionsIn(dir))
		if err != nil || len(l.Faults()) != 0 || !strings.Contains(read(t, marker), "workers.yml") {
			t.Errorf("%q: %v, %s", text, err, read(t, marker))
		}
	}
}

func TestNobodyIsNamedWhileTheRetiredNamesAreLost(t *testing.T) {
	dir, o := lived(t)
	good := read(t, o.SettingsFile)
	if err := os.Remove(o.SettingsFile); err != nil {
		t.Fatal(err)
	}
	h := open(t, dir)
	_, err := h.Commit(t.Context(), registered(mac(2), new(netboot.Hostname)))
	if fault.CodeOf(err) != "ledger_unreadable" || !strings.Contains(fault.Sentence(err), "settings.json") {
		t.Errorf("%v", err)
	}
	h.commit(func(tx *Tx) error { tx.PutWorker(plainWorker("pc-01")); return nil })
	swap(t, o.SettingsFile, good)
	eventually(t, "it is back", func() bool { return len(h.Faults()) == 0 })
	h.commit(registered(mac(2), new(netboot.Hostname)))
	swap(t, o.SettingsFile, "{")
	eventually(t, "it is broken again", func() bool { return len(h.Faults()) == 1 })
	h.commit(registered(mac(3), new(netboot.Hostname))) // the last good ones are known
}

func TestAnEmptyFolderOfWorkersIsNoNewSite(t *testing.T) {
	dir, o := lived(t)
	state, away := filepath.Dir(o.WorkersFile), filepath.Join(dir, "away")
	if err := os.Rename(state, away); err != nil {
		t.Fatal(err)
	}
	twin := filepath.Join(filepath.Dir(o.AgentsFile), markerName)
	want := "the file has vanished since ipxe-cp last ran, and so has .known-files.json beside it; is its file system mounted? Put both back, or, if they are meant to be gone, remove " + twin + " and start again"
	h := open(t, dir)
	told := 0
	for _, f := range h.Faults() {
		if f.Text == want {
			told++
		}
	}
	if told != 2 || len(h.Faults()) != 2 {
		t.Errorf("%v", h.Faults())
	}
	if _, err := h.Commit(t.Context(), registered(mac(2), new(netboot.Hostname))); fault.CodeOf(err) != "ledger_unreadable" {
		t.Errorf("%v", err)
	}
	h.stop()
	if left, err := os.ReadDir(state); err != nil || len(left) != 0 {
		t.Errorf("it was begun anew: %v, %v", left, err)
	}
	if err := os.Remove(twin); err != nil {
		t.Fatal(err)
	}
	if l, err := Open(optionsIn(dir)); err != nil || len(l.Faults()) != 0 {
		t.Errorf("it is meant to be a new one: %v, %v", l.Faults(), err)
	}
	if err := os.RemoveAll(state); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(away, state); err != nil {
		t.Fatal(err)
	}
	if l, err := Open(optionsIn(dir)); err != nil || len(l.Faults()) != 0 || l.Snapshot().Len() != 1 {
		t.Errorf("it is back: %v, %v", l.Faults(), err)
	}
}
