package controlplane

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ipxe-all-ready/internal/atomicfile"
	"ipxe-all-ready/internal/fault"
)

// errHeld is the lock in another control plane's hand.
var errHeld = errors.New("the lock is held")

// errLost is a lock that is another's by now.
var errLost = errors.New("the lock is lost")

// homeLock keeps a second control plane off the same ledgers. The kernel frees
// it when the process ends, however that was. What stands in it tells who holds
// it, on a file system of several hosts as well:
//
//	12345 on controller-1 since 2026-07-01T10:00:00.123Z
type homeLock struct {
	file  *os.File
	stamp string
}

// lockHome takes the lock beside the ledgers; errHeld when it is taken.
func lockHome(path string) (*homeLock, error) {
	if err := atomicfile.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("lock the ledgers: %w", err)
	}
	// Open for writing: NFS makes of the lock one of the whole file's bytes.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock the ledgers: %w", err)
	}
	l := &homeLock{file: f}
	if err := l.take(path); err != nil {
		_ = f.Close()
		return nil, err
	}
	return l, nil
}

func (l *homeLock) take(path string) error {
	if info, err := l.file.Stat(); err != nil || !info.Mode().IsRegular() {
		return fault.Wrap(fault.Conflict, err, "the lock %s is not a regular file", path)
	}
	err := unix.Flock(int(l.file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EACCES) {
		return fault.Wrap(fault.Conflict, errHeld, "another control plane, process %s, holds %s; two must not write the same ledgers", l.read(), path)
	}
	if err != nil {
		return fault.Wrap(fault.Conflict, err, "%s cannot be locked, and without a lock two control planes could write the same ledgers: its file system must know flock", path)
	}
	if same, err := l.stands(); err != nil || !same {
		return fault.Wrap(fault.Conflict, errHeld, "the lock %s was replaced at this moment", path)
	}
	host, _ := os.Hostname()
	l.stamp = fmt.Sprintf("%d on %s since %s", os.Getpid(), host, time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
	if _, err := l.file.WriteAt([]byte(l.stamp+"\n"), 0); err != nil {
		l.stamp = "" // on a full disk the kernel's word is all there is
		return nil
	}
	_ = l.file.Truncate(int64(len(l.stamp) + 1)) // what is left of a longer one is another line
	return nil
}

// read is the first line of the lock, "unknown" while it is written.
func (l *homeLock) read() string {
	said := make([]byte, 256)
	n, err := l.file.ReadAt(said, 0)
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
func (l *homeLock) stands() (bool, error) {
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

// held is nil while nobody else can have begun to write. It is asked before each
// write: a lock on a network file system is lost when its server does not hear
// of this host for a while, and a lock file that a person removed stops nobody.
func (l *homeLock) held() error {
	same, err := l.stands()
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "whether another control plane writes these ledgers cannot be told: its lock cannot be read")
	}
	if !same {
		return fault.Wrap(fault.Unavailable, errLost, "the lock %s was replaced: another control plane may write these ledgers", l.file.Name())
	}
	if now := l.read(); l.stamp != "" && now != l.stamp {
		return fault.Wrap(fault.Unavailable, errLost, "the lock %s was lost: process %s holds it", l.file.Name(), now)
	}
	return nil
}

func (l *homeLock) release() {
	if l != nil {
		_ = l.file.Close()
	}
}
