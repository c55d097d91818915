package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// MkdirAll makes dir and the folders above it that are missing, durably: a
// file in a folder that a power cut takes back is gone, however it was flushed.
func MkdirAll(dir string, perm fs.FileMode) error {
	return osDisk().mkdirAll(filepath.Clean(dir), perm)
}

func (d disk) mkdirAll(dir string, perm fs.FileMode) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := d.mkdirAll(parent, perm); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, perm); err != nil {
		if info, now := os.Stat(dir); errors.Is(err, fs.ErrExist) && now == nil && info.IsDir() {
			return nil // somebody else was quicker
		}
		return err
	}
	return d.syncDir(parent)
}
