// Package onewriter owns the lock that keeps a second process off files which one
// alone may write: flock, and in the locked file a stamp of who holds it. The
// kernel frees it when the process ends, however that was. The stamp tells of the
// holder on a file system of several hosts as well:
//
//	12345 on controller-1 since 2026-07-01T10:00:00.123Z
package onewriter

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ipxe-all-ready/internal/atomicfile"
	"ipxe-all-ready/internal/fault"
)

// ErrHeld is the lock in another process' hand.
var ErrHeld = errors.New("the lock is held")

// ErrLost is a lock that is another's by now.
var ErrLost = errors.New("the lock is lost")

// Words are what a person reads of a lock.
type Words struct {
	Writer string // who takes it, such as "control plane"
	Files  string // what it guards, such as "ledgers"
}

// Lock is one that we took.
type Lock struct {
	words Words
	file  *os.File
	stamp string // empty: it could not be written

	mu      sync.Mutex
	changed time.Time // the file's, when it was last looked at
}

// Open takes the lock at path and makes the file where there is none; ErrHeld
// when it is taken.
func Open(path string, w Words) (*Lock, error) {
	if err := atomicfile.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("lock the %s: %w", w.Files, err)
	}
	// Open for writing: NFS makes of the lock one of the whole file's bytes.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock the %s: %w", w.Files, err)
	}
	return Take(f, w)
}

// Take locks an open file, which is closed by Release, or here with an error;
// ErrHeld when it is taken. Others must find it by the name that it was opened by.
// One that is open for reading alone will do, where the file system is none of
// several hosts.
func Take(f *os.File, w Words) (*Lock, error) {
	l := &Lock{words: w, file: f}
	if err := l.take(f.Name()); err != nil {
		_ = f.Close()
		return nil, err
	}
	return l, nil
}

func (l *Lock) take(path string) error {
	if info, err := l.file.Stat(); err != nil || !info.Mode().IsRegular() {
		return fault.Wrap(fault.Conflict, err, "the lock %s is not a regular file", path)
	}
	err := unix.Flock(int(l.file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EACCES) {
		return fault.Wrap(fault.Conflict, ErrHeld, "another %s, process %s, holds %s; two must not write the same %s", l.words.Writer, read(l.file), path, l.words.Files)
	}
	if err != nil {
		return fault.Wrap(fault.Conflict, err, "%s cannot be locked, and without a lock two %ss could write the same %s: its file system must know flock", path, l.words.Writer, l.words.Files)
	}
	if same, err := l.stands(); err != nil || !same {
		return fault.Wrap(fault.Conflict, ErrHeld, "the lock %s was replaced at this moment", path)
	}
	l.sign()
	return nil
}

// sign puts the stamp in; on a full or read-only disk the kernel's word is all
// there is.
func (l *Lock) sign() {
	f, err := l.writable()
	if err != nil {
		return
	}
	if f != l.file {
		defer f.Close()
	}
	host, _ := os.Hostname()
	stamp := fmt.Sprintf("%d on %s since %s", os.Getpid(), host, time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
	if _, err := f.WriteAt([]byte(stamp+"\n"), 0); err != nil {
		return
	}
	_ = f.Truncate(int64(len(stamp) + 1)) // what is left of a longer one is another line
	if f.Sync() == nil {                  // a full file server refuses it only now, and forgets it
		l.stamp = stamp
	}
}

// writable is the file, opened once more where we hold it for reading.
func (l *Lock) writable() (*os.File, error) {
	mode, err := unix.FcntlInt(l.file.Fd(), unix.F_GETFL, 0)
	if err != nil || mode&unix.O_ACCMODE == unix.O_RDWR {
		return l.file, err
	}
	f, err := os.OpenFile(l.file.Name(), os.O_WRONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	ours, e1 := l.file.Stat()
	opened, e2 := f.Stat()
	if err = errors.Join(e1, e2); err == nil && !os.SameFile(ours, opened) {
		err = ErrLost
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// read is the first line of a lock, "unknown" while it is written.
func read(f *os.File) string {
	said := make([]byte, 256)
	n, err := f.ReadAt(said, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "unknown"
	}
	line, _, _ := strings.Cut(string(said[:n]), "\n")
	if line == "" {
		return "unknown"
	}
	return line
}

// stands tells whether the lock that we hold is the one that others would find.
// A name that is gone is nobody's: its folder may come back.
func (l *Lock) stands() (bool, error) {
	ours, err := l.file.Stat()
	if err != nil {
		return false, err
	}
	there, err := os.Stat(l.file.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return os.SameFile(ours, there), nil
}

// Held is nil while nobody else can have begun to write, and ErrLost when the
// lock is another's. It is asked before each write: a lock on a network file
// system is lost when its server does not hear of this host for a while, and a
// lock file that a person removed stops nobody.
func (l *Lock) Held() error {
	same, err := l.stands()
	if err != nil {
		return l.untold(err)
	}
	if !same {
		return fault.Wrap(fault.Unavailable, ErrLost, "the lock %s was replaced: another %s may write these %s", l.file.Name(), l.words.Writer, l.words.Files)
	}
	now, err := l.signed()
	if err != nil {
		return l.untold(err)
	}
	if l.stamp != "" && now != l.stamp {
		return fault.Wrap(fault.Unavailable, ErrLost, "the lock %s was lost: process %s holds it", l.file.Name(), now)
	}
	return nil
}

func (l *Lock) untold(err error) error {
	return fault.Wrap(fault.Unavailable, err, "whether another %s writes these %s cannot be told: its lock cannot be read", l.words.Writer, l.words.Files)
}

// signed is the stamp in the lock, opened anew, which an NFS client takes for the
// moment to ask its server. A file that is open for writing it believes to be
// changed by itself alone, and shows what it has in its cache for ever: that is
// dropped when the file's times have changed.
func (l *Lock) signed() (string, error) {
	f, err := atomicfile.Open(l.file.Name(), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return l.stamp, nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !info.ModTime().Equal(l.changed) {
		_ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
	}
	l.changed = info.ModTime()
	return read(f), nil
}

// Holder is who holds a lock, which is looked at and not changed; "" for nobody.
// To see it, it is shared for an instant: whoever tries to take it just then has to
// try again.
func Holder(f *os.File) string {
	err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EACCES) {
		return read(f)
	}
	if err == nil {
		_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
	}
	return ""
}

// Release gives the lock back. Without one it does nothing.
func (l *Lock) Release() {
	if l != nil {
		_ = l.file.Close()
	}
}
