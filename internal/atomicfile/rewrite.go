package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrChanged says that a file does not hold what its writer last knew of it.
var ErrChanged = errors.New("the file was changed by somebody else")

// ErrUnsettled says that a write failed half-way and its undoing too: nobody
// knows what the file holds until Undo or Recover has run.
var ErrUnsettled = errors.New("put the old content back")

// Rewrite turns path's content from old into new without changing its inode:
// a bind-mounted file keeps working. Before the first byte is overwritten, what
// is needed to finish stands in journalPath; Recover finishes after a crash. A
// file that does not hold old is left alone with ErrChanged. After another
// error the file holds old again; with ErrUnsettled the journal still stands. The FileInfo is
// of the file as our write left it: whoever wrote since shows beside it.
func Rewrite(path, journalPath string, old, new []byte) (fs.FileInfo, error) {
	return osDisk().rewrite(path, journalPath, old, new)
}

func (d disk) rewrite(path, journalPath string, old, new []byte) (info fs.FileInfo, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("rewrite %s: %w", path, err)
		}
	}()
	// A journal that stands here is of a rewrite that failed while we ran on.
	if _, err := d.recover(path, journalPath, old, nil); err != nil {
		return nil, err
	}
	f, err := Open(path, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if err := holds(f, old); err != nil {
		return nil, err
	}
	if bytes.Equal(old, new) {
		return info, nil
	}
	return d.overwrite(f, journalPath, old, new)
}

// overwrite does it, once f is known to hold old.
func (d disk) overwrite(f *os.File, journalPath string, old, new []byte) (fs.FileInfo, error) {
	j := newJournal(old, new)
	if err := reserve(f, int64(len(new))); err != nil {
		return nil, err
	}
	if _, err := d.replace(journalPath, 0o600, writes(j.encode()), nil); err != nil {
		return nil, errors.Join(err, d.drop(journalPath))
	}
	// The journal took its time; whoever wrote meanwhile must not be overwritten.
	if err := stillHolds(f.Name(), old); err != nil {
		return nil, errors.Join(ErrChanged, err, d.drop(journalPath))
	}
	info, err := d.put(f, j.head, j.new, len(new))
	if err != nil {
		return nil, errors.Join(err, d.putBack(f, j, journalPath, len(old)))
	}
	// A journal that cannot be removed finds the new content at the next start
	// and is dropped then: the write itself is done.
	_ = d.drop(journalPath)
	return info, nil
}

// stillHolds looks at whatever stands at path by now.
func stillHolds(path string, want []byte) error {
	f, err := Open(path, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	return holds(f, want)
}

// holds is ErrChanged when f's content is another. It keeps none of it: a large
// file is compared for each machine that is registered.
func holds(f *os.File, want []byte) error {
	piece := make([]byte, 64<<10)
	for {
		n, err := f.Read(piece)
		if !bytes.HasPrefix(want, piece[:n]) {
			return ErrChanged
		}
		want = want[n:]
		switch {
		case errors.Is(err, io.EOF) && len(want) > 0:
			return ErrChanged
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// put writes piece at its place, makes size the whole length and waits for the
// disk. What it says of the file is from before the wait, in which others may write.
func (d disk) put(f *os.File, at int, piece []byte, size int) (fs.FileInfo, error) {
	if _, err := d.writeAt(f, piece, int64(at)); err != nil {
		return nil, err
	}
	if err := d.truncate(f, int64(size)); err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return info, d.sync(f)
}

// putBack undoes a write that failed half-way. Where that fails too, the
// journal stays for Undo or Recover.
func (d disk) putBack(f *os.File, j journal, journalPath string, size int) error {
	if _, err := d.put(f, j.head, j.old, size); err != nil {
		return fmt.Errorf("%w: %w", ErrUnsettled, err)
	}
	return d.drop(journalPath)
}

// drop removes a journal for good: one that came back after a power cut could
// be mistaken for a write cut short under a person's later edit.
func (d disk) drop(journalPath string) error {
	if err := d.remove(journalPath); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return d.syncDir(filepath.Dir(journalPath))
}

func writes(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}
