package store

import (
	"cmp"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"

	"ipxe-all-ready/internal/fault"
)

// markFile is in every folder that has held images. It tells such a folder from
// the empty one that is seen in its place while its file system is not mounted.
// A person who wants a known folder to begin anew puts an empty one there.
const markFile = ".ipxe-agent.id"

// maxMark is the most that is read of it, in bytes.
const maxMark = 256

// recognise refuses a folder that held images before and now has no mark.
// Nothing is written: what is seen may be a mount point.
func (s *Store) recognise(root *os.Root) error {
	if s.o.Record == "" {
		return nil
	}
	_, marked, err := readMark(root)
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "image folder %s cannot be read: %s", s.o.Dir, cause(err))
	}
	if marked {
		return nil // and machines may run from it, whatever became of the record
	}
	known, err := readRecord(s.o.Record)
	if err != nil {
		return err
	}
	if known.Folders[s.o.Dir] != "" {
		return fault.New(fault.Unavailable, "image folder %s held images and now lacks its mark %s: is its file system mounted? "+
			"If it is to begin anew, put an empty file of that name there", s.o.Dir, markFile)
	}
	return nil
}

// remember marks a folder that holds images, and keeps outside of it that it is
// marked. A failure stops nothing that can be served; Writable tells it.
func (s *Store) remember(root *os.Root) {
	err := s.mark(root)
	s.marking.Lock()
	defer s.marking.Unlock()
	s.unmarked = err
}

func (s *Store) mark(root *os.Root) error {
	if s.o.Record == "" {
		return nil
	}
	s.marking.Lock()
	defer s.marking.Unlock()
	known, err := readRecord(s.o.Record)
	if err != nil {
		return err
	}
	mark, _, err := readMark(root)
	if err != nil {
		return s.failed(err, "read %s", markFile)
	}
	if mark == "" {
		mark = cmp.Or(known.Folders[s.o.Dir], rand.Text())
		if err := s.replaceHidden(root, markFile, []byte(mark+"\n")); err != nil {
			return err
		}
	}
	return known.keep(s.o.Record, s.o.Dir, mark)
}

func readMark(root *os.Root) (mark string, marked bool, err error) {
	text, err := readHidden(root, markFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	return strings.TrimSpace(string(text[:min(len(text), maxMark)])), true, nil
}

// replaceHidden writes a small file of ours, whole or not at all.
func (s *Store) replaceHidden(root *os.Root, name string, text []byte) error {
	if err := s.guard(root); err != nil {
		return err
	}
	p, err := temp(root)
	if err != nil {
		return s.failed(err, "write %s", name)
	}
	defer p.discard()
	if _, err = p.Write(text); err == nil {
		err = p.Sync()
	}
	if err == nil {
		err = s.stillThere(root)
	}
	if err == nil {
		err = root.Rename(p.name, name)
	}
	if err != nil {
		return s.failed(err, "write %s", name)
	}
	return s.syncDir(root)
}
