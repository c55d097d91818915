package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/onewriter"
)

// LockFile is held with flock by the agent that works in the folder: another one
// has locks of its own for files and targets, and would sweep away what this one
// is making. It stays when its agent has ended.
const LockFile = ".ipxe-agent.lock"

var lockWords = onewriter.Words{Writer: "storage agent", Files: "images"}

// takeLock keeps other agents off the folder, or finds that one is in it: then the
// error is ErrHeld. An empty folder gets no lock before something is made in it: its
// file system may not be mounted yet, and there is nothing to guard. A lock that
// cannot be had otherwise (a read-only folder, no inode left) is no reason to leave
// machines without their disks: Unlocked tells it, and each later call tries again.
func (s *Store) takeLock(root *os.Root, making bool) (err error) {
	s.lock, err = lock(root, making || !empty(root))
	if errors.Is(err, onewriter.ErrHeld) {
		return fault.Wrap(fault.Unavailable, onewriter.ErrHeld, "%s", fault.Sentence(err))
	}
	s.unlocked = nil
	if err != nil && !(errors.Is(err, fs.ErrNotExist) && empty(root)) {
		why := LockFile + ": " + cause(err)
		if fault.As(err) != nil {
			why = fault.Sentence(err)
		}
		s.unlocked = fault.Wrap(fault.Unavailable, err, "no other agent is kept off image folder %s: %s", s.o.Dir, why)
	}
	return nil
}

// keepLock finds the lock still ours. One whose file was removed is taken anew,
// as others would find none.
func (s *Store) keepLock() error {
	if s.lock != nil {
		if _, err := s.root.Lstat(LockFile); !errors.Is(err, fs.ErrNotExist) {
			return s.lock.Held()
		}
		s.unlock()
	}
	return s.takeLock(s.root, false)
}

// guard is asked before the first thing is made in a folder.
func (s *Store) guard(root *os.Root) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock != nil || s.root != root {
		return nil // stillThere tells that it is another folder by now
	}
	return s.takeLock(root, true)
}

func (s *Store) unlock() {
	s.lock.Release()
	s.lock, s.unlocked = nil, nil
}

// lock takes the folder's lock. It is kept open for reading, or its file system
// could not be remounted read-only; NFS wants it open for writing.
func lock(root *os.Root, create bool) (*onewriter.Lock, error) {
	f, err := openLock(root, os.O_RDONLY, create)
	if err != nil {
		return nil, err
	}
	l, err := onewriter.Take(f, lockWords)
	if errors.Is(err, syscall.EBADF) {
		if f, err = openLock(root, os.O_RDWR, create); err != nil {
			return nil, err
		}
		l, err = onewriter.Take(f, lockWords)
	}
	return l, err
}

// openLock makes the file where it may. What is there needs no space, and can be
// had of a read-only file system. A link is never followed: what it leads to, an
// image maybe, would get our stamp.
func openLock(root *os.Root, flag int, create bool) (*os.File, error) {
	if info, err := root.Lstat(LockFile); err == nil && !info.Mode().IsRegular() {
		return nil, irregular(LockFile, info.Mode())
	}
	flag |= syscall.O_NONBLOCK
	f, err := root.OpenFile(LockFile, flag, 0)
	if create && errors.Is(err, fs.ErrNotExist) {
		f, err = root.OpenFile(LockFile, flag|os.O_CREATE, 0o600)
	}
	if err != nil {
		return nil, err
	}
	named, e1 := root.Lstat(LockFile)
	info, e2 := f.Stat()
	if err = errors.Join(e1, e2); err == nil && !os.SameFile(named, info) {
		err = fault.New(fault.Conflict, "%s was replaced at this moment", LockFile)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func empty(root *os.Root) bool {
	dir, err := root.Open(".")
	if err != nil {
		return false
	}
	defer dir.Close()
	_, err = dir.Readdirnames(1)
	return errors.Is(err, io.EOF)
}

// Unlocked tells why no other agent is kept off the folder; nil: it is.
func (s *Store) Unlocked() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unlocked
}

// Close gives the folder to whoever waits for it; every later call is Unavailable.
// What still writes has ended before.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.detach()
	s.closed = true
}

// holder is who works in the folder, as the lock in it tells; empty: nobody.
func holder(root *os.Root) string {
	f, _, err := openRegular(root, LockFile)
	if err != nil {
		return ""
	}
	defer f.Close()
	return onewriter.Holder(f)
}
