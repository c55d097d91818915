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

// Image is one file that the folder shows. Fault says why it cannot be used;
// Name is then zero and File what a person sees.
type Image struct {
	File    string
	Name    image.Name
	Size    int64 // bytes
	ModTime time.Time
	ID      FileID // zero: no regular file
	Fault   error
}

// Images lists the disks and CDs by name. Hidden files and what is neither .img
// nor .iso are passed over; a folder, a link or a pipe of such a name is a fault.
func (s *Store) Images() ([]Image, error) {
	root, err := s.open()
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, s.failed(err, "list image folder %s", s.o.Dir)
	}
	images, err := s.describeAll(root, entries)
	if slices.ContainsFunc(images, func(i Image) bool { return i.ID != FileID{} }) {
		s.remember(root)
	}
	return images, err
}

func (s *Store) describeAll(root *os.Root, entries []fs.DirEntry) (images []Image, err error) {
	for _, e := range entries {
		ext := strings.ToLower(e.Name()[max(0, len(e.Name())-4):])
		if strings.HasPrefix(e.Name(), ".") || ext != ".img" && ext != ".iso" {
			continue
		}
		if !e.Type().IsRegular() {
			images = append(images, Image{File: e.Name(), Fault: irregular(e.Name(), e.Type())})
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted since
		}
		if err != nil {
			return nil, s.failed(err, "list image folder %s", s.o.Dir)
		}
		images = append(images, describe(root, e.Name(), ext, info))
	}
	return images, nil
}

func describe(root *os.Root, file, ext string, info fs.FileInfo) Image {
	i := Image{File: file, Size: info.Size(), ModTime: info.ModTime(), ID: idOf(info)}
	if ext == ".iso" {
		i.Name, i.Fault = image.ParseCD(file)
		return i
	}
	i.Name, i.Fault = image.ParseDisk(file)
	if err := noMaster(root, i.Name, info); err != nil {
		i.Name, i.Fault = image.Name{}, err
	}
	return i
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
	if !n.IsCD() { // a CD is read-only
		if err := noMaster(root, n, info); err != nil {
			return Image{}, err
		}
	}
	return Image{File: n.String(), Name: n, Size: info.Size(), ModTime: info.ModTime(), ID: idOf(info)}, nil
}

// Deletable refuses a master, under any of its names.
func (s *Store) Deletable(n image.Name) error {
	if n.IsMaster() {
		return fault.New(fault.Conflict, "%s is a master: masters are never deleted", n)
	}
	root, err := s.open()
	if err != nil {
		return err
	}
	info, err := root.Lstat(n.String())
	if err != nil {
		return nil // nothing to delete
	}
	return noMaster(root, n, info)
}

// Remove deletes an image. A master is never deleted; what is absent succeeds.
func (s *Store) Remove(n image.Name) error {
	if err := s.Deletable(n); err != nil {
		return err
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
