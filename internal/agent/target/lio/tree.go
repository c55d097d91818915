package lio

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// tree is configfs below the target's root, or what a test takes for it. Names
// are relative to that root. Errors are those of package os.
type tree struct {
	reader
	writer
}

type reader interface {
	// Identity differs between two lives of one file name.
	Identity(name string) (string, error)
	Read(name string) (string, error)
	List(name string) ([]fs.DirEntry, error)
	ReadLink(name string) (string, error)
}

type writer interface {
	Mkdir(name string) error
	// Remove takes away a folder or a link.
	Remove(name string) error
	// Write sets an attribute with one write(2): the kernel takes each as a
	// whole value.
	Write(name, value string) error
	// Link makes name a link to another name of the tree.
	Link(to, name string) error
}

// configfs is the real one.
type configfs struct{ root string }

func mounted(root string) tree { return tree{configfs{root}, configfs{root}} }

func (c configfs) path(name string) string { return filepath.Join(c.root, name) }

func (c configfs) Identity(name string) (string, error) {
	st, err := os.Stat(c.path(name))
	if err != nil {
		return "", err
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return "", fmt.Errorf("stat %s: no inode", name)
	}
	return fmt.Sprintf("%d@%d.%09d", sys.Ino, sys.Ctim.Sec, sys.Ctim.Nsec), nil
}

func (c configfs) Read(name string) (string, error) {
	b, err := os.ReadFile(c.path(name))
	return string(b), err
}

func (c configfs) List(name string) ([]fs.DirEntry, error) { return os.ReadDir(c.path(name)) }

func (c configfs) ReadLink(name string) (string, error) { return os.Readlink(c.path(name)) }

func (c configfs) Mkdir(name string) error { return os.Mkdir(c.path(name), 0o755) }

func (c configfs) Remove(name string) error { return os.Remove(c.path(name)) }

func (c configfs) Write(name, value string) error {
	f, err := os.OpenFile(c.path(name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte(value))
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// Link gives an absolute path: configfs looks a relative one up in the working
// folder of the process, not in the link's.
func (c configfs) Link(to, name string) error { return os.Symlink(c.path(to), c.path(name)) }
