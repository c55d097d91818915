package ledger

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"ipxe-all-ready/internal/atomicfile"
)

// source is one file that people and we write.
type source struct {
	path    string
	disk    *disk
	may     func() error               // Options.May
	load    func(content []byte) error // puts a person's edit into the book, whole or not at all
	known   stamp                      // the file as we last read or wrote it
	pending *stamp                     // an edit that has not settled yet
	stale   bool                       // a write of ours went wrong: read it whatever its stamp
	broken  *Fault
	missed  bool   // the marker knows it, and it was not there at the start
	twin    string // the marker that knows it, where the one beside workers.yml is gone
	folder  fs.FileInfo

	older  []byte // the file as it stands in an older schema, until we have written it
	schema int    // of it; 0: it names none
}

// disk is how ledgers are written; a test puts a failing one in its place.
type disk struct {
	replace func(path string, perm fs.FileMode, content func(io.Writer) error, check func() error) (fs.FileInfo, error)
	rewrite func(path, journal string, old, new []byte) (fs.FileInfo, error)
}

func osDisk() *disk { return &disk{atomicfile.Replace, atomicfile.Rewrite} }

// stamp tells whether a file was changed. ctime cannot be set back by tools
// that keep the mtime, and an inode changes with every rename.
type stamp struct {
	exists       bool
	ino          uint64
	size         int64
	mtime, ctime int64
	trouble      string // why the file cannot be looked at
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return stamp{}
	case err != nil:
		return stamp{trouble: err.Error()}
	}
	return stampFrom(info)
}

func stampFrom(info fs.FileInfo) stamp {
	s := stamp{exists: true, size: info.Size(), mtime: info.ModTime().UnixNano()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.ino, s.ctime = st.Ino, st.Ctim.Nano()
	}
	return s
}

// wrote notes that the file is what info says: ours. Where somebody changed it
// in between, the stamp stays one that no look will find again.
func (s *source) wrote(info fs.FileInfo) {
	now, ours := stampOf(s.path), stampFrom(info)
	if now.ino != ours.ino || now.size != ours.size || now.mtime != ours.mtime {
		now = ours
	}
	s.known, s.pending, s.stale = now, nil, false
}

// errFolder says that a file would be made in a folder that took the place of
// ours: what was seen there, an unmounted file system perhaps, is not the site.
var errFolder = errors.New("its folder is not the one that stood at the start; is its file system mounted?")

// atHome refuses to make a file anew where our folder was. One that stood is
// found vanished by itself.
func (s *source) atHome() error {
	if s.known.exists || s.folder == nil {
		return nil
	}
	now, err := os.Stat(filepath.Dir(s.path))
	if err == nil && !os.SameFile(now, s.folder) {
		err = errFolder
	}
	return err
}

// found notes in which schema the file was read.
func (s *source) found(schema int, f format, content []byte) {
	s.older, s.schema = nil, schema
	if schema < f.version {
		s.older = content
	}
}

// edited reports whether the file is not as we know it.
func (s *source) edited() bool {
	if s.stale || stampOf(s.path) != s.known {
		return true
	}
	s.pending = nil
	return false
}

// settled reports whether an edit is over: two looks in a row were alike.
func (s *source) settled() bool {
	now := stampOf(s.path)
	was := s.pending
	s.pending = &now
	return s.stale || was != nil && now == *was
}

// read takes the file in. False means that it is being written right now.
func (s *source) read(at time.Time) bool {
	content, st, err := readWhole(s.path)
	if err == nil && stampOf(s.path) != st {
		return false
	}
	existed := s.known.exists || s.broken != nil
	s.known, s.pending, s.stale = st, nil, false
	switch {
	case errors.Is(err, fs.ErrNotExist) && existed:
		err = s.vanished()
	case errors.Is(err, fs.ErrNotExist):
		return true
	case err == nil:
		s.missed = false
		err = s.load(content)
	}
	s.blame(err, at)
	return true
}

func (s *source) vanished() *flaw { return s.gone().mendedBy(doReturn) }

func (s *source) gone() *flaw {
	if s.missed && s.twin != "" {
		return flawAt(0, "the file has vanished since ipxe-cp last ran, and so has %s beside it; is its file system mounted? Put both back, or, if they are meant to be gone, remove %s and start again", markerName, s.twin)
	}
	if s.missed {
		return flawAt(0, "the file has vanished since ipxe-cp last ran; put it back, or, if it is meant to be gone, remove its name from %s beside workers.yml and start again", markerName)
	}
	return flawAt(0, "the file has vanished; put it back, or an empty one if nothing was in it")
}

// blame notes what is wrong with the file; nil clears it.
func (s *source) blame(err error, at time.Time) {
	if err == nil {
		s.broken = nil
		return
	}
	f := asFlaw(err)
	s.broken = &Fault{File: s.path, Line: f.line, Text: f.text, Do: f.do, At: at}
}

// readWhole reads a file and what stamp it had all the while. An editor that
// was writing meanwhile shows in the stamp.
func readWhole(path string) ([]byte, stamp, error) {
	content, info, err := atomicfile.Read(path, maxLedger)
	st := stampOf(path)
	if info != nil {
		st = stampFrom(info)
	}
	switch {
	case errors.Is(err, atomicfile.ErrNotRegular):
		err = flawAt(0, "this is %s and no file; put the file back in its place", kindOf(path)).mendedBy(doReturn)
	case errors.Is(err, atomicfile.ErrTooLarge):
		err = flawAt(0, "the file is larger than %d MiB", maxLedger>>20).mendedBy(doReturn)
	case err != nil && info != nil:
		err = fmt.Errorf("read %s: %w", path, err)
	}
	return content, st, err
}

// kindOf says what stands in a file's place.
func kindOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "something else"
	}
	return atomicfile.Kind(info.Mode())
}
