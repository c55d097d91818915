package atomicfile

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// file is what a write needs of an open file.
type file interface {
	io.Writer
	io.WriterAt
	io.Reader
	Name() string
	Stat() (fs.FileInfo, error)
	Chmod(fs.FileMode) error
	Chown(uid, gid int) error
	Truncate(int64) error
	Sync() error
	Close() error
}

// disk is the operating system as a write sees it; a test puts a failing step
// in the place of one of them.
type disk struct {
	createTemp func(dir, pattern string) (file, error)
	open       func(path string, flag int, perm fs.FileMode) (file, error)
	reserve    func(f file, size int64) error
	rename     func(from, to string) error
	remove     func(path string) error
	syncDir    func(dir string) error
}

func osDisk() disk {
	return disk{
		createTemp: func(dir, pattern string) (file, error) { return os.CreateTemp(dir, pattern) },
		open:       func(path string, flag int, perm fs.FileMode) (file, error) { return os.OpenFile(path, flag, perm) },
		reserve:    reserve,
		rename:     os.Rename,
		remove:     os.Remove,
		syncDir:    syncDir,
	}
}

// reserve takes the blocks up to size without changing the length, so that a
// full disk says so before the first byte is overwritten.
func reserve(f file, size int64) error {
	o, ok := f.(*os.File)
	if !ok {
		return nil
	}
	err := unix.Fallocate(int(o.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, size)
	if err == unix.ENOSPC || err == unix.EDQUOT {
		return &fs.PathError{Op: "reserve", Path: o.Name(), Err: err}
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
