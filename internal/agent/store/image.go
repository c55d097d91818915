package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
)

// Image is one file that the folder shows. Fault says why its name cannot be
// used; Name is then zero and File what a person sees.
type Image struct {
	File    string
	Name    image.Name
	Size    int64 // bytes
	ModTime time.Time
	Fault   error
}

// Images lists the disks and CDs by name. Hidden files, folders, links, pipes
// and what is neither .img nor .iso are passed over.
func (s *Store) Images() ([]Image, error) {
	root, err := s.open()
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, s.failed(err, "list image folder %s", s.o.Dir)
	}
	var images []Image
	for _, e := range entries {
		ext := strings.ToLower(e.Name()[max(0, len(e.Name())-4):])
		if strings.HasPrefix(e.Name(), ".") || ext != ".img" && ext != ".iso" || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted since
		}
		if err != nil {
			return nil, s.failed(err, "list image folder %s", s.o.Dir)
		}
		i := Image{File: e.Name(), Size: info.Size(), ModTime: info.ModTime()}
		if ext == ".img" {
			i.Name, i.Fault = image.ParseDisk(e.Name())
			if err := noMaster(root, i.Name, info); err != nil {
				i.Name, i.Fault = image.Name{}, err
			}
		} else {
			i.Name, i.Fault = image.ParseCD(e.Name())
		}
		images = append(images, i)
	}
	if len(images) > 0 {
		s.remember(root)
	}
	return images, nil
}

// Stat is one image. What is no regular file counts as not there.
func (s *Store) Stat(n image.Name) (Image, error) {
	root, err := s.open()
	if err != nil {
		return Image{}, err
	}
	info, err := root.Lstat(n.String())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Image{}, fault.New(fault.NotFound, "file %s not found in the image folder", n)
	case err != nil:
		return Image{}, s.failed(err, "look at %s", n)
	case !info.Mode().IsRegular():
		return Image{}, fault.New(fault.NotFound, "%s in the image folder is no regular file", n)
	}
	if err := noMaster(root, n, info); err != nil {
		return Image{}, err
	}
	return Image{File: n.String(), Name: n, Size: info.Size(), ModTime: info.ModTime()}, nil
}

// Remove deletes an image. A master is never deleted; what is absent succeeds.
func (s *Store) Remove(n image.Name) error {
	if n.IsMaster() {
		return fault.New(fault.Conflict, "%s is a master: masters are never deleted", n)
	}
	root, err := s.open()
	if err != nil {
		return err
	}
	if err := root.Remove(n.String()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s.failed(err, "delete %s", n)
	}
	return s.syncDir(root)
}

// openImage opens a file for reading. os.Root lets no link lead out; a link
// inside is none of ours either, so what was opened must be what has the name.
// O_NONBLOCK keeps a pipe that took the file's place from holding us.
func openImage(root *os.Root, n image.Name) (*os.File, fs.FileInfo, error) {
	named, err := root.Lstat(n.String())
	if err != nil {
		return nil, nil, err
	}
	if !named.Mode().IsRegular() {
		return nil, nil, fs.ErrNotExist
	}
	f, err := root.OpenFile(n.String(), os.O_RDONLY|syscall.O_NONBLOCK, 0)
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

// failed is NoSpace for a full disk or quota, Invalid for a size that the file
// system cannot hold, Unavailable for one that went away or lets nobody write,
// else Internal, with a sentence. That the caller gave up passes as it is.
func (s *Store) failed(err error, format string, args ...any) error {
	if fault.As(err) != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	kind := fault.Internal
	switch {
	case slices.ContainsFunc(away, func(no syscall.Errno) bool { return errors.Is(err, no) }):
		kind = fault.Unavailable
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		kind = fault.NoSpace
	case errors.Is(err, syscall.EFBIG):
		kind = fault.Invalid
	}
	e := fault.Wrap(kind, err, format, args...)
	e.Text += ": " + cause(err)
	return e
}

// away are the errors of a file system that is broken, gone or read-only.
var away = []syscall.Errno{syscall.EIO, syscall.ESTALE, syscall.ENODEV, syscall.ENOTCONN, syscall.ESHUTDOWN, syscall.EROFS, syscall.EUCLEAN}

// cause is the system's own word, without the path that os puts in front.
func cause(err error) string {
	var no syscall.Errno
	if errors.As(err, &no) {
		return no.Error()
	}
	return err.Error()
}
