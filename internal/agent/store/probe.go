package store

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// cloneReflink is what /capabilities says where blocks are shared.
const cloneReflink = "reflink (FICLONE)"

// probe finds out what a clone does here by trying one, as no file system's
// name tells: xfs may be made without reflink, overlay hides what is below.
func probe(root *os.Root) string {
	err := tryReflink(root)
	switch {
	case err == nil, errors.Is(err, unix.EAGAIN): // ZFS: works, only not on what was just written
		return cloneReflink
	default:
		return fmt.Sprintf("full copy (FICLONE here: %s)", cause(err))
	}
}

func tryReflink(root *os.Root) error {
	from, err := temp(root)
	if err != nil {
		return err
	}
	defer from.discard()
	to, err := temp(root)
	if err != nil {
		return err
	}
	defer to.discard()
	if _, err := from.Write(make([]byte, 64<<10)); err != nil {
		return err
	}
	return unix.IoctlFileClone(int(to.Fd()), int(from.Fd()))
}

// CloneWay says what a clone does in this folder: "reflink (FICLONE)" or "full
// copy (…)" with the reason.
func (s *Store) CloneWay() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.attach(); err != nil {
		return "", err
	}
	return s.clone, nil
}
