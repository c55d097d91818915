package store

import (
	"io"
	"io/fs"
	"os"
	"syscall"

	"ipxe-all-ready/internal/atomicfile"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
)

// FileID tells a file from another that took its name.
type FileID struct {
	Device uint64 `json:"device"`
	Inode  uint64 `json:"inode"`
}

// idOf is zero where the system has no such numbers.
func idOf(info fs.FileInfo) FileID {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return FileID{}
	}
	return FileID{Device: st.Dev, Inode: st.Ino}
}

// irregular says what has the name of an image and is none. It is never opened:
// a pipe would hold us, a link leads elsewhere.
func irregular(file string, mode fs.FileMode) error {
	return fault.New(fault.Conflict, "%s is %s, not a regular file", file, atomicfile.Kind(mode))
}

const sector = 512

// Fits refuses a file that makes no disk: too small, or with a last piece that
// no sector holds.
func Fits(file string, size int64) error {
	if size < int64(image.MinSize) {
		return fault.New(fault.Conflict, "%s holds %d bytes, a disk has at least %d", file, size, int64(image.MinSize))
	}
	if size%sector != 0 {
		return fault.New(fault.Conflict, "%s holds %d bytes, which is no multiple of a sector's %d", file, size, sector)
	}
	return nil
}

// readHidden reads a small file of ours.
func readHidden(root *os.Root, name string) ([]byte, error) {
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, irregular(name, info.Mode())
	}
	f, _, err := openRegular(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// openRegular opens a file for reading. os.Root lets no link lead out; a link
// inside is none of ours either, so what was opened must be what has the name.
// O_NONBLOCK keeps a pipe that took the file's place from holding us.
func openRegular(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	named, err := root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !named.Mode().IsRegular() {
		return nil, nil, fs.ErrNotExist
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(named, info) {
		err = fs.ErrNotExist
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
