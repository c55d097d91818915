package store

import (
	"io/fs"
	"os"
	"sync"
	"syscall"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
)

// masters is the list of golden images as last read.
type masters struct {
	mu   sync.Mutex
	list []Image
	read bool
}

func (m *masters) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list, m.read = nil, false
}

// Masters lists the golden images as RefreshMasters last found them.
func (s *Store) Masters() ([]Image, error) {
	if _, err := s.open(); err != nil {
		return nil, err
	}
	s.master.mu.Lock()
	list, read := s.master.list, s.master.read
	s.master.mu.Unlock()
	if read {
		return list, nil
	}
	return s.RefreshMasters()
}

// RefreshMasters reads the folder anew; the caller does so now and then, as
// people bring masters by hand.
func (s *Store) RefreshMasters() ([]Image, error) {
	images, err := s.Images()
	if err != nil {
		return nil, err
	}
	list := []Image{}
	for _, i := range images {
		if i.Fault == nil && i.Name.IsMaster() && !i.Name.IsCD() {
			list = append(list, i)
		}
	}
	s.master.mu.Lock()
	defer s.master.mu.Unlock()
	s.master.list, s.master.read = list, true
	return list, nil
}

// noMaster refuses a file that is a master too, by a hard link: whoever writes to
// the one writes to the other.
func noMaster(root *os.Root, n image.Name, info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || st.Nlink < 2 || n.IsZero() || n.IsMaster() {
		return nil
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return fault.Wrap(fault.Internal, err, "look for masters beside %s: %s", n, cause(err))
	}
	for _, e := range entries {
		if !image.MasterMarked(e.Name()) { // also one whose name is no image's
			continue
		}
		if other, err := root.Lstat(e.Name()); err == nil && os.SameFile(info, other) {
			return fault.New(fault.Conflict, "%s is the master %s under another name", n, e.Name())
		}
	}
	return nil
}

// promised is the full size of all files in the folder, those in the making included.
func (s *Store) promised(root *os.Root) (int64, error) {
	dir, err := root.Open(".")
	if err != nil {
		return 0, s.failed(err, "list image folder %s", s.o.Dir)
	}
	defer dir.Close()
	entries, err := dir.Readdir(-1)
	if err != nil {
		return 0, s.failed(err, "list image folder %s", s.o.Dir)
	}
	var sum int64
	for _, e := range entries {
		if e.Mode().IsRegular() && e.Name() != LockFile {
			sum += e.Size()
		}
	}
	return sum, nil
}
