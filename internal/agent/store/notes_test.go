package store

import (
	"os"
	"path/filepath"
	"testing"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/iscsi"
)

func iqn(t *testing.T, s string) iscsi.IQN {
	t.Helper()
	q, err := iscsi.ParseIQN("iqn.2026-07.com.controller:" + s)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func notesOf(t *testing.T, s *Store) map[string]string {
	t.Helper()
	read, broken, err := s.Notes()
	if err != nil || len(broken) > 0 {
		t.Fatal(err, broken)
	}
	m := map[string]string{}
	for _, n := range read {
		m[n.IQN.Suffix()] = n.Name.String()
	}
	return m
}

func wantNotes(t *testing.T, s *Store, want map[string]string) {
	t.Helper()
	got := notesOf(t, s)
	if len(got) != len(want) {
		t.Errorf("notes %v, want %v", got, want)
	}
	for q, file := range want {
		if got[q] != file {
			t.Errorf("notes %v, want %v", got, want)
		}
	}
}

func TestNotesSurviveAndADiskHasOneAndACDSeveral(t *testing.T) {
	s := folder(t, Options{})
	cd, err := image.ParseCD("w.iso")
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(s.Note(iqn(t, "a"), disk(t, "x.img")))
	must(s.Note(iqn(t, "b"), disk(t, "x.img")))
	must(s.Note(iqn(t, "c"), cd))
	must(s.Note(iqn(t, "d"), cd))
	s.Close()
	other := New(Options{Dir: s.Dir()}) // the next agent
	wantNotes(t, other, map[string]string{"b": "x.img", "c": "w.iso", "d": "w.iso"})
	must(other.Forget(iqn(t, "c")))
	must(other.ForgetFile(disk(t, "x.img")))
	other.Close()
	wantNotes(t, New(Options{Dir: s.Dir()}), map[string]string{"d": "w.iso"})
}

func TestBrokenNotesAreSaidAndNeverOverwritten(t *testing.T) {
	s := folder(t, Options{})
	path := filepath.Join(s.Dir(), ".ipxe-agent.json")
	if err := os.WriteFile(path, []byte(`{"targets":[`), 0o600); err != nil {
		t.Fatal(err)
	}
	want := ".ipxe-agent.json in the image folder is broken, mend or remove it: unexpected end of JSON input"
	_, _, err := s.Notes()
	wantFault(t, err, fault.Conflict, want)
	wantFault(t, s.Note(iqn(t, "a"), disk(t, "x.img")), fault.Conflict, want)
	if got, _ := os.ReadFile(path); string(got) != `{"targets":[` {
		t.Errorf("the file holds %q", got)
	}
}

func TestABrokenNoteDoesNotHideTheOthers(t *testing.T) {
	s := folder(t, Options{})
	text := `{"schema":1,"targets":[{"iqn":"iqn.2026-07.com.controller:a","file":"../x.img"},{"iqn":"nope","file":"x.img"},{"iqn":"iqn.2026-07.com.controller:b","file":"y.img"}]}`
	if err := os.WriteFile(filepath.Join(s.Dir(), ".ipxe-agent.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	read, broken, err := s.Notes()
	if err != nil || len(read) != 1 || len(broken) != 2 {
		t.Errorf("Notes = %v, %v, %v", read, broken, err)
	}
}
