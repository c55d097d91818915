package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Write puts data in the place of path, durably: after it returns nil a power
// cut finds the new file, before that the old one, and never anything between.
// perm is for a new file; one that stands keeps its mode and, where we may,
// its owner. A path that is a symbolic link stays one.
func Write(path string, perm fs.FileMode, data []byte) error {
	_, err := Replace(path, perm, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}, nil)
	return err
}

// Replace is Write for content that is streamed. check, when not nil, is asked
// when everything is on disk and only the rename is left; its error stops the
// rename and is returned. The FileInfo is of the new file, taken while nobody
// else could know it.
func Replace(path string, perm fs.FileMode, content func(io.Writer) error, check func() error) (fs.FileInfo, error) {
	return osDisk().replace(path, perm, content, check)
}

func (d disk) replace(path string, perm fs.FileMode, content func(io.Writer) error, check func() error) (fs.FileInfo, error) {
	path, err := resolve(path)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	dir := filepath.Dir(path)
	f, err := d.createTemp(dir, tempPattern(path))
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	info, err := d.fill(f, path, perm, content)
	if err == nil && check != nil {
		err = check()
	}
	if err == nil {
		err = d.rename(f.Name(), path)
	}
	if err != nil {
		_ = d.remove(f.Name())
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	// The rename is an entry of the folder; without this it may be lost though
	// the file's bytes are on disk.
	if err := d.syncDir(dir); err != nil {
		return info, fmt.Errorf("write %s: %w", path, err)
	}
	return info, nil
}

// fill writes f down to the disk and closes it.
func (d disk) fill(f *os.File, path string, perm fs.FileMode, content func(io.Writer) error) (info fs.FileInfo, err error) {
	defer func() { err = errors.Join(err, d.close(f)) }()
	if err := d.content(f, content); err != nil {
		return nil, err
	}
	if err := d.adopt(f, path, perm); err != nil {
		return nil, err
	}
	if err := d.sync(f); err != nil {
		return nil, err
	}
	return f.Stat()
}

// adopt gives f the mode and owner of the file it will replace, else perm.
func (d disk) adopt(f *os.File, path string, perm fs.FileMode) error {
	old, err := os.Stat(path)
	if err != nil {
		return d.chmod(f, perm) // CreateTemp's 0600, or what a umask left, is not what was asked for
	}
	if st, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(st.Uid), int(st.Gid)) // only root may; the mode still counts
	}
	return d.chmod(f, old.Mode().Perm())
}

// resolve follows a symbolic link, so that the file it names is replaced and
// not the link. A path that is not there yet is itself.
func resolve(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return path, nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return path, err
	}
	return real, nil
}
