package atomicfile

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// disk is the operating system as a write sees it; a test puts a failing step
// in the place of one of them.
type disk struct {
	createTemp func(dir, pattern string) (*os.File, error)
	content    func(f *os.File, content func(io.Writer) error) error
	writeAt    func(f *os.File, b []byte, at int64) (int, error)
	truncate   func(f *os.File, size int64) error
	chmod      func(f *os.File, mode fs.FileMode) error
	sync       func(f *os.File) error
	close      func(f *os.File) error
	rename     func(from, to string) error
	remove     func(path string) error
	syncDir    func(dir string) error
}

func osDisk() disk {
	return disk{
		createTemp: os.CreateTemp,
		content:    func(f *os.File, content func(io.Writer) error) error { return content(f) },
		writeAt:    (*os.File).WriteAt,
		truncate:   (*os.File).Truncate,
		chmod:      (*os.File).Chmod,
		sync:       (*os.File).Sync,
		close:      (*os.File).Close,
		rename:     os.Rename,
		remove:     os.Remove,
		syncDir:    syncDir,
	}
}

// reserve takes the blocks up to size without changing the length, so that a
// full disk says so before the first byte is overwritten.
func reserve(f *os.File, size int64) error {
	err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, size)
	if err == unix.ENOSPC || err == unix.EDQUOT {
		return &fs.PathError{Op: "reserve", Path: f.Name(), Err: err}
	}
	return nil // not every file system can
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// tempPattern names the temporary files of path; Sweep finds them by it.
func tempPattern(path string) string { return "." + filepath.Base(path) + ".*.tmp" }

// Sweep removes temporary files that a killed process left beside path. Only
// path's one writer may call it, before its first write.
func Sweep(path string) error {
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	head, tail, _ := strings.Cut(tempPattern(path), "*")
	for _, e := range entries {
		middle, isTemp := strings.CutPrefix(e.Name(), head)
		middle, ends := strings.CutSuffix(middle, tail)
		if !isTemp || !ends || strings.Trim(middle, "0123456789") != "" || !e.Type().IsRegular() {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
