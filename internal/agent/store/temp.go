package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
)

// partial is a file in the making: hidden until it is whole.
type partial struct {
	*os.File
	root *os.Root
	name string
}

func temp(root *os.Root) (*partial, error) {
	name := tempPrefix + rand.Text()
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &partial{File: f, root: root, name: name}, nil
}

// discard removes the file, unless it has its name already.
func (p *partial) discard() {
	_ = p.Close()
	_ = p.root.Remove(p.name)
}

// publish flushes the file and gives it its name, never over another file.
func (s *Store) publish(p *partial, n image.Name) error {
	if err := p.Sync(); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	if err := s.stillThere(p.root); err != nil {
		return err
	}
	if err := renameNew(p.root, p.name, n.String()); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return exists(n)
		}
		return fmt.Errorf("rename: %w", err)
	}
	return s.syncDir(p.root)
}

func exists(n image.Name) error {
	return fault.New(fault.Exists, "file %s already exists", n)
}

// renameNew is a rename that fails where the new name is taken. File systems
// that know no such flag (NFS, old ZFS) get a second name and lose the first.
func renameNew(root *os.Root, from, to string) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	fd := int(dir.Fd())
	err = unix.Renameat2(fd, from, fd, to, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		if err = root.Link(from, to); err == nil {
			err = root.Remove(from)
		}
	}
	return err
}

// syncDir makes a change of names outlive a power cut.
func (s *Store) syncDir(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return s.failed(err, "flush image folder %s", s.o.Dir)
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, unix.EINVAL) { // EINVAL: the file system flushes no folders
		return s.failed(err, "flush image folder %s", s.o.Dir)
	}
	return nil
}

// absent refuses a name that is taken before any work is done for it.
func (s *Store) absent(root *os.Root, n image.Name) error {
	if n.IsMaster() {
		return fault.New(fault.Conflict, "%s carries _tpl_: masters are never overwritten or made here", n)
	}
	switch _, err := root.Lstat(n.String()); {
	case err == nil:
		return exists(n)
	case !errors.Is(err, fs.ErrNotExist):
		return s.failed(err, "look at %s", n)
	}
	return nil
}
