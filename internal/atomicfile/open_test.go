package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// pipe makes a named pipe, which nobody ever opens at its other end.
func pipe(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsNoRegularFileIsRefusedAtOnce(t *testing.T) {
	dir := t.TempDir()
	fifo, link, file := filepath.Join(dir, "fifo"), filepath.Join(dir, "link"), filepath.Join(dir, "file")
	pipe(t, fifo)
	if err := os.Symlink(fifo, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fifo, link, dir, os.DevNull} {
		for _, flag := range []int{os.O_RDONLY, os.O_RDWR} {
			if f, err := Open(path, flag); !errors.Is(err, ErrNotRegular) {
				t.Errorf("%s: %v, %v", path, f, err)
			}
		}
	}
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if b, err := ReadFile(file); err != nil || string(b) != "x" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := ReadFile(filepath.Join(dir, "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestAPipeInThePlaceOfFileOrJournalFailsARewriteAndARecovery(t *testing.T) {
	for _, name := range []string{"file", "journal"} {
		dir := t.TempDir()
		file, journal := filepath.Join(dir, "file"), filepath.Join(dir, "journal")
		if name == "journal" {
			if err := os.WriteFile(file, []byte("old"), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := Recover(file, journal, readable); err != nil {
				t.Fatal(err)
			}
		}
		pipe(t, filepath.Join(dir, name))
		if _, err := Rewrite(file, journal, []byte("old"), []byte("new")); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: rewrite: %v", name, err)
		}
		if _, err := Recover(file, journal, readable); name == "journal" && !errors.Is(err, ErrNotRegular) {
			t.Errorf("recover: %v", err)
		}
	}
}
