package atomicfile

import (
	"errors"
	"net"
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
	if b, err := ReadFile(file, 1); err != nil || string(b) != "x" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := ReadFile(filepath.Join(dir, "absent"), 1); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestWhatStandsInAFilesPlaceIsNamed(t *testing.T) {
	dir := t.TempDir()
	fifo, socket := filepath.Join(dir, "fifo"), filepath.Join(dir, "socket")
	pipe(t, fifo)
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	for path, kind := range map[string]string{fifo: "a named pipe", socket: "a socket", dir: "a folder", "/dev/zero": "a device"} {
		_, err := ReadFile(path, 1<<20)
		if want := "open " + path + ": " + kind + ", not a regular file"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestALargeFileIsRefusedUnread(t *testing.T) {
	path := filepath.Join(t.TempDir(), "disk.img")
	if err := os.WriteFile(path, []byte("12345"), 0o644); err != nil {
		t.Fatal(err)
	}
	if b, info, err := Read(path, 5); string(b) != "12345" || err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := ReadFile(path, 4); !errors.Is(err, ErrTooLarge) || err.Error() != "read "+path+": it is larger than 4 bytes" {
		t.Error(err)
	}
	if err := os.Truncate(path, 1<<40); err != nil { // it holds no block
		t.Fatal(err)
	}
	if _, err := ReadFile(path, 1<<20); !errors.Is(err, ErrTooLarge) {
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
