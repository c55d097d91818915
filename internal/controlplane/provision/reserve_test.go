package provision

import (
	"testing"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

func word[T any](t *testing.T, parse func(string) (T, error), s string) T {
	t.Helper()
	v, err := parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAClashNamesWhatClashes(t *testing.T) {
	id := word(t, netboot.ParseWorkerID, "pc-01")
	ubuntu, windows := word(t, netboot.ParseOS, "ubuntu"), word(t, netboot.ParseOS, "windows")
	for range 50 { // maps are walked in a random order
		var r reservations
		for os, task := range map[netboot.OS]string{ubuntu: "AAA", windows: "BBB"} {
			if _, err := r.disk(id, os, madeBy(task)); err != nil {
				t.Fatal(err)
			}
		}
		_, err := r.disk(id, ubuntu, "made")
		if want := "the ubuntu disk of worker pc-01 is being made by task AAA"; fault.Sentence(err) != want {
			t.Fatalf("%v, want %s", err, want)
		}
		_, err = r.worker(id, "deleted")
		if want := "the ubuntu disk of worker pc-01 is being made by task AAA"; fault.Sentence(err) != want {
			t.Fatalf("%v, want %s", err, want)
		}
	}
}
