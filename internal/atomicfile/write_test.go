package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

var errStep = errors.New("injected")

// breaking fails one step of every replacement. close fails after it has closed.
func breaking(step string) disk {
	d := osDisk()
	switch step {
	case "create":
		d.createTemp = func(string, string) (*os.File, error) { return nil, errStep }
	case "write":
		d.content = func(*os.File, func(io.Writer) error) error { return errStep }
	case "chmod":
		d.chmod = func(*os.File, fs.FileMode) error { return errStep }
	case "sync":
		d.sync = func(*os.File) error { return errStep }
	case "close":
		d.close = func(f *os.File) error { return errors.Join(f.Close(), errStep) }
	case "rename":
		d.rename = func(string, string) error { return errStep }
	case "syncdir":
		d.syncDir = func(string) error { return errStep }
	}
	return d
}

func only(t *testing.T, dir, name, want string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != name {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, name)); string(got) != want {
		t.Errorf("%s is %q, want %q", name, got, want)
	}
}

func TestAWriteThatFailsAtAnyStepLeavesTheOldFileAndNoOther(t *testing.T) {
	for _, step := range []string{"create", "write", "chmod", "sync", "close", "rename"} {
		t.Run(step, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "workers.yml")
			if err := Write(path, 0o644, []byte("old")); err != nil {
				t.Fatal(err)
			}
			_, err := breaking(step).replace(path, 0o644, writes([]byte("new")), nil)
			if !errors.Is(err, errStep) {
				t.Errorf("err = %v", err)
			}
			only(t, dir, "workers.yml", "old")
		})
	}
}

func TestAFolderThatCannotBeSyncedIsAnError(t *testing.T) {
	dir := t.TempDir()
	if _, err := breaking("syncdir").replace(filepath.Join(dir, "a"), 0o644, writes([]byte("new")), nil); !errors.Is(err, errStep) {
		t.Errorf("err = %v", err)
	}
	only(t, dir, "a", "new")
}

func TestTheLastCheckStopsTheRename(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := Write(path, 0o644, []byte("old")); err != nil {
		t.Fatal(err)
	}
	_, err := Replace(path, 0o644, func(w io.Writer) error { _, err := w.Write([]byte("new")); return err }, func() error { return errStep })
	if !errors.Is(err, errStep) {
		t.Errorf("err = %v", err)
	}
	only(t, dir, "a", "old")
}

func TestModeIsKeptAndANewFileGetsWhatWasAskedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	for _, want := range []fs.FileMode{0o604, 0o640} {
		if err := Write(path, 0o604, nil); err != nil {
			t.Fatal(err)
		}
		if info, _ := os.Stat(path); info.Mode().Perm() != want {
			t.Errorf("mode %o, want %o", info.Mode().Perm(), want)
		}
		if err := os.Chmod(path, 0o640); err != nil {
			t.Fatal(err)
		}
	}
}

func TestASymbolicLinkStaysOne(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target", link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, 0o644, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Lstat(link); info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	if got, _ := os.ReadFile(target); string(got) != "new" {
		t.Errorf("the target is %q", got)
	}
}

func TestSweepRemovesOnlyLeftoversOfItsPath(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".a.123.tmp", ".a.x.tmp", ".b.123.tmp", "a", ".a.tmp"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := Sweep(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".a.123.tmp")); err == nil {
		t.Error("the leftover stands")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 4 {
		t.Errorf("left: %v", entries)
	}
}
