package store

import (
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// copyPiece is read and written at once.
const copyPiece = 1 << 20

// copySparse copies size bytes and leaves holes where the source has them; dst
// has its full size already. told gets the bytes written since the last time.
func copySparse(ctx context.Context, dst, src *os.File, size int64, told func(wrote int64)) error {
	m := mover{dst: dst, src: src}
	trail := wake{dst: dst, src: src}
	for off := int64(0); off < size; {
		data, hole, err := nextExtent(src, off, size)
		if err != nil {
			return err
		}
		for off = data; off < hole; {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := min(copyPiece, hole-off)
			if err := m.move(off, n); err != nil {
				return err
			}
			off += n
			trail.passed(off, n)
			told(n)
		}
	}
	trail.drop()
	return ctx.Err()
}

// mover copies pieces by copy_file_range, which some file systems do without
// moving data (NFS on its server, ZFS by sharing blocks from another dataset).
// Elsewhere it costs what reading and writing costs; what it refuses is read and
// written, and tells its error there.
type mover struct {
	dst, src *os.File
	plain    bool
	buf      []byte
}

func (m *mover) move(off, n int64) error {
	for n > 0 && !m.plain {
		from, to := off, off
		done, err := unix.CopyFileRange(int(m.src.Fd()), &from, int(m.dst.Fd()), &to, int(n), 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		m.plain = err != nil || done == 0 // 0 is the source's end
		off, n = off+int64(max(0, done)), n-int64(max(0, done))
	}
	if n == 0 {
		return nil
	}
	if m.buf == nil {
		m.buf = make([]byte, copyPiece)
	}
	if _, err := io.ReadFull(io.NewSectionReader(m.src, off, n), m.buf[:n]); err != nil {
		return err
	}
	_, err := m.dst.WriteAt(m.buf[:n], off)
	return err
}

// nextExtent is the next run of data at or after off; size, size when only a
// hole is left.
func nextExtent(src *os.File, off, size int64) (data, hole int64, err error) {
	fd := int(src.Fd())
	data, err = unix.Seek(fd, off, unix.SEEK_DATA)
	switch {
	case errors.Is(err, unix.ENXIO):
		return size, size, nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.EOPNOTSUPP):
		return off, size, nil // the file system knows no holes
	case err != nil:
		return 0, 0, err
	}
	hole, err = unix.Seek(fd, data, unix.SEEK_HOLE)
	if err != nil {
		return 0, 0, err
	}
	return min(data, size), min(hole, size), nil
}

// wakeLength is how much of a copy stays in the page cache, in bytes.
const wakeLength = 32 << 20

// wake takes what a copy has passed out of the page cache, where the disks of
// running workers are. All of it is advice: errors do not matter.
type wake struct {
	dst, src *os.File
	start    int64 // of what is still in the cache
	end      int64
	bytes    int64 // copied since the last drop
}

func (w *wake) passed(end, n int64) {
	w.end = end
	w.bytes += n
	if w.bytes >= wakeLength {
		w.drop()
	}
}

// drop waits for the writes, as dirty pages cannot be dropped.
func (w *wake) drop() {
	length := w.end - w.start
	if length <= 0 {
		return
	}
	to, from := int(w.dst.Fd()), int(w.src.Fd())
	_ = unix.SyncFileRange(to, w.start, length, unix.SYNC_FILE_RANGE_WAIT_BEFORE|unix.SYNC_FILE_RANGE_WRITE|unix.SYNC_FILE_RANGE_WAIT_AFTER)
	_ = unix.Fadvise(to, w.start, length, unix.FADV_DONTNEED)
	_ = unix.Fadvise(from, w.start, length, unix.FADV_DONTNEED)
	w.start, w.bytes = w.end, 0
}
