package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
)

// The ways a clone is made.
const (
	WayReflink = "reflink"
	WayCopy    = "copy"
)

// Cloned says how a clone was made and how large it is.
type Cloned struct {
	Way   string
	Bytes int64
}

// Clone makes a disk of a master: by reflink where the file system shares
// blocks, else by a copy that keeps the holes. When ctx ends, or anything
// fails, nothing is left.
func (s *Store) Clone(ctx context.Context, master, n image.Name, tell Progress) (Cloned, error) {
	root, err := s.open()
	if err != nil {
		return Cloned{}, err
	}
	if err := s.absent(root, n); err != nil {
		return Cloned{}, err
	}
	src, before, err := openRegular(root, master.String())
	if errors.Is(err, fs.ErrNotExist) {
		return Cloned{}, fault.New(fault.NotFound, "master %s not found in the image folder", master)
	}
	if err != nil {
		return Cloned{}, s.failed(err, "open master %s", master)
	}
	defer src.Close()
	if err := Fits("master "+master.String(), before.Size()); err != nil {
		return Cloned{}, err
	}
	p, err := s.begin(root, n, before.Size())
	if err != nil {
		return Cloned{}, err
	}
	defer p.discard()
	if tell == nil {
		tell = func(Step) {}
	}
	c := cloning{store: s, root: root, src: src, dst: p.File, name: n, size: before.Size(), tell: tell}
	way, err := c.run(ctx)
	if err == nil {
		err = unchanged(src, before, master)
	}
	if err == nil {
		err = s.publish(p, n)
	}
	if err != nil {
		return Cloned{}, s.failed(err, "clone %s to %s", master, n)
	}
	return Cloned{Way: way, Bytes: before.Size()}, nil
}

// unchanged refuses a clone of a master that was written to meanwhile.
func unchanged(src *os.File, before fs.FileInfo, master image.Name) error {
	after, err := src.Stat()
	if err != nil {
		return err
	}
	if after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		return fault.New(fault.Conflict, "master %s was changed while it was cloned", master)
	}
	return nil
}

// cloning is one clone under way.
type cloning struct {
	store    *Store
	root     *os.Root
	src, dst *os.File
	name     image.Name
	size     int64
	tell     Progress
}

func (c cloning) run(ctx context.Context) (way string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	err = c.reflink(ctx)
	if err == nil || ctx.Err() != nil {
		return WayReflink, err
	}
	return WayCopy, c.copy(ctx)
}

// reflinkPiece at a time, so that a fragmented file of hundreds of gigabytes,
// which takes minutes, can be watched and cancelled. A multiple of every block size.
const reflinkPiece = 1 << 30

func (c cloning) reflink(ctx context.Context) error {
	for off := int64(0); off < c.size; off += reflinkPiece {
		piece := unix.FileCloneRange{
			Src_fd:      int64(c.src.Fd()),
			Src_offset:  uint64(off),
			Src_length:  uint64(min(reflinkPiece, c.size-off)),
			Dest_offset: uint64(off),
		}
		if err := patiently(ctx, func() error { return unix.IoctlFileCloneRange(int(c.dst.Fd()), &piece) }); err != nil {
			return err
		}
		c.tell(Step{Way: WayReflink, Done: off + int64(piece.Src_length), Total: c.size})
	}
	return ctx.Err()
}

// ZFS answers EAGAIN while the source's last writes are on their way to disk.
const (
	zfsPatience = 10 * time.Second
	zfsPause    = 100 * time.Millisecond
)

func patiently(ctx context.Context, do func() error) error {
	end := time.Now().Add(zfsPatience)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := do()
		if !errors.Is(err, unix.EAGAIN) || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(zfsPause):
		}
	}
}
