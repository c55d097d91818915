package controlplane

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"ipxe-all-ready/internal/atomicfile"
	"ipxe-all-ready/internal/fault"
)

// homeLock keeps a second control plane off the same ledgers. The kernel frees
// it when the process ends, however that was.
type homeLock struct{ file *os.File }

// lockHome takes the lock beside the ledgers and writes our process number in
// it, for whoever finds it taken.
func lockHome(path string) (*homeLock, error) {
	if err := atomicfile.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("lock the ledgers: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock the ledgers: %w", err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		defer f.Close()
		return nil, fault.Wrap(fault.Conflict, err, "the lock %s is not a regular file", path)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		defer f.Close()
		holder := make([]byte, 32)
		n, _ := f.Read(holder) // the number is a courtesy
		return nil, fault.Wrap(fault.Conflict, err, "another control plane, process %s, holds %s; two must not write the same ledgers",
			bytes.TrimSpace(holder[:n]), path)
	}
	if err := f.Truncate(0); err == nil {
		_, _ = fmt.Fprintln(f, os.Getpid())
	}
	return &homeLock{f}, nil
}

func (l *homeLock) release() {
	if l != nil {
		_ = l.file.Close()
	}
}
