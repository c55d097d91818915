package store

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Inspection is what an image folder is, seen without writing into it.
type Inspection struct {
	Folder error   // why the agent would not serve it; nil: it would
	Write  error   // why nothing can be made in it
	Clone  string  // what a clone does; "" where that cannot be told without a named file
	Space  Space   // of its file system
	Images []Image // by name
	Holder string  // process, host and start of the agent that works in it; "": none
}

// Inspect looks at the folder as Attach would; it leaves no file, not for an
// instant, and no mark.
func (s *Store) Inspect() (in Inspection) {
	root, err := os.OpenRoot(s.o.Dir)
	if err != nil {
		in.Folder = s.missing(err)
		return in
	}
	defer root.Close()
	if in.Folder = s.recognise(root); in.Folder != nil {
		return in
	}
	in.Holder = holder(root)
	in.Write = unix.Access(s.o.Dir, unix.W_OK|unix.X_OK)
	if in.Write == nil {
		in.Clone = probeUnnamed(s.o.Dir)
	}
	if in.Space, in.Folder = s.spaceOf(root); in.Folder != nil {
		return in
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		in.Folder = s.failed(err, "list image folder %s", s.o.Dir)
		return in
	}
	in.Images, in.Folder = s.describeAll(root, entries)
	return in
}

// probeUnnamed tries a reflink between two files that never have a name.
func probeUnnamed(dir string) string {
	from, err := unnamed(dir)
	if err != nil {
		return ""
	}
	defer from.Close()
	to, err := unnamed(dir)
	if err != nil {
		return ""
	}
	defer to.Close()
	if _, err := from.Write(make([]byte, 64<<10)); err != nil {
		return ""
	}
	err = unix.IoctlFileClone(int(to.Fd()), int(from.Fd()))
	if err == nil || errors.Is(err, unix.EAGAIN) {
		return cloneReflink
	}
	return "full copy (FICLONE here: " + cause(err) + ")"
}

func unnamed(dir string) (*os.File, error) {
	return os.OpenFile(dir, os.O_RDWR|unix.O_TMPFILE, 0o600)
}

// Reflinks reports whether Clone says that blocks are shared.
func (in Inspection) Reflinks() bool { return in.Clone == cloneReflink }
