package store

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Space of the file system that the folder is on.
type Space struct {
	FSType      string
	Free, Total int64 // bytes; free to us, not the root user's reserve
	Reserve     int64 // bytes that are kept free
}

// Space asks the file system.
func (s *Store) Space() (Space, error) {
	root, err := s.open()
	if err != nil {
		return Space{}, err
	}
	return s.spaceOf(root)
}

func (s *Store) spaceOf(root *os.Root) (Space, error) {
	dir, err := root.Open(".")
	if err != nil {
		return Space{}, s.failed(err, "look at image folder %s", s.o.Dir)
	}
	defer dir.Close()
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(dir.Fd()), &st); err != nil {
		return Space{}, s.failed(err, "look at image folder %s", s.o.Dir)
	}
	unit := st.Frsize
	if unit == 0 {
		unit = st.Bsize
	}
	total := int64(st.Blocks) * unit
	return Space{
		FSType: fsType(int64(st.Type)), Free: int64(st.Bavail) * unit, Total: total, Reserve: s.o.MinFree.of(total),
	}, nil
}

// fsType names the magic numbers of statfs(2) that an image folder may be on.
func fsType(magic int64) string {
	switch uint32(magic) {
	case 0x9123683e:
		return "btrfs"
	case 0x58465342:
		return "xfs"
	case 0x2fc12fc1:
		return "zfs"
	case 0xef53:
		return "ext4"
	case 0x01021994:
		return "tmpfs"
	case 0x794c7630:
		return "overlay"
	case 0x6969:
		return "nfs"
	case 0xca451a4e:
		return "bcachefs"
	case 0xf2f52010:
		return "f2fs"
	}
	return fmt.Sprintf("0x%x", uint32(magic))
}
