// Package store owns the image folder: listing, creating, cloning and deleting
// the files in it, and the notes that keep what a file name cannot tell. Every
// access goes through one os.Root, so that no name and no symbolic link leads
// out. It knows no target: what is exported, and whether a file is in use, is
// the business of package export.
package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/onewriter"
)

// tempPrefix marks files that are not whole yet. They are hidden, so that no
// list shows them, and removed when the folder is opened.
const tempPrefix = ".ipxe-tmp-"

// Options of a Store.
type Options struct {
	Dir        string  // absolute and clean
	Record     string  // file outside of Dir that keeps which folders held images; empty: nothing is kept
	MinFree    Reserve // free space below which nothing new is made
	Overcommit float64 // capacity promised per capacity there; zero is without limit
	Copies     int     // full copies at the same time; zero is 2
}

// Store is one image folder. It may be absent: then every call is Unavailable
// until it is there, and it is never created. So it is while another agent has it.
type Store struct {
	o      Options
	slots  chan struct{} // full copies under way
	space  ledger
	notes  notes
	master masters

	mu       sync.Mutex
	closed   bool
	root     *os.Root
	lock     *onewriter.Lock // of root; nil: see unlocked
	unlocked error           // why root has no lock
	opened   int             // how often a folder was opened
	clone    string          // what a clone does here, found when root was opened

	marking  sync.Mutex
	unmarked error // why the last mark could not be made
}

// New opens nothing yet.
func New(o Options) *Store {
	if o.Copies == 0 {
		o.Copies = 2
	}
	return &Store{o: o, slots: make(chan struct{}, o.Copies)}
}

// Dir is the folder's path.
func (s *Store) Dir() string { return s.o.Dir }

// Path is where a file of the folder lies, for the iSCSI server.
func (s *Store) Path(n image.Name) string { return filepath.Join(s.o.Dir, n.String()) }

// Holds reports whether path lies directly in the folder, and under what file name.
func (s *Store) Holds(path string) (file string, ok bool) {
	dir, file := filepath.Split(path)
	return file, filepath.Clean(dir) == s.o.Dir && file != "" && !strings.HasPrefix(file, ".")
}

// Attach opens the folder, or finds that the one open is still the one at its
// path: a mount may have come over it, or gone. The number counts the folders
// opened: when it is another one than before, what was known of the files
// counts no more.
func (s *Store) Attach() (opened int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.attach()
	return s.opened, err
}

func (s *Store) attach() error {
	if s.closed {
		return fault.New(fault.Unavailable, "the agent is stopping")
	}
	now, err := os.Stat(s.o.Dir)
	if err != nil {
		s.detach()
		return s.missing(err)
	}
	if s.root != nil {
		if then, err := s.root.Stat("."); err == nil && os.SameFile(now, then) {
			if err := s.keepLock(); !errors.Is(err, onewriter.ErrLost) && !errors.Is(err, onewriter.ErrHeld) {
				return err
			}
		}
		s.detach()
	}
	root, err := os.OpenRoot(s.o.Dir)
	if err != nil {
		return s.missing(err)
	}
	if err = s.enter(root); err != nil {
		s.unlock()
		_ = root.Close()
		return err
	}
	s.root = root
	s.opened++
	s.clone = probe(root)
	s.master.forget()
	return nil
}

// enter makes sure that the folder is the one that held images, and ours alone,
// before anything is written or removed.
func (s *Store) enter(root *os.Root) error {
	if err := s.recognise(root); err != nil {
		return err
	}
	if err := s.takeLock(root, false); err != nil {
		return err
	}
	if err := sweep(root); err != nil {
		return fault.Wrap(fault.Unavailable, err, "image folder %s cannot be written: %s", s.o.Dir, cause(err))
	}
	return nil
}

// detach lets the root go, and its lock: one that is held would keep the file
// system of a folder that went away. Calls that still use the root end by its
// finalizer, and make nothing in it: see stillThere.
func (s *Store) detach() {
	s.root = nil
	s.unlock()
}

func (s *Store) missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(fault.Unavailable, err, "image folder %s is missing", s.o.Dir)
	}
	return fault.Wrap(fault.Unavailable, err, "image folder %s cannot be opened", s.o.Dir)
}

// open is the folder for one call. It is looked at each time: a change in a
// folder that was unmounted meanwhile would be lost.
func (s *Store) open() (*os.Root, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.attach(); err != nil {
		return nil, err
	}
	return s.root, nil
}

// stillThere refuses to go on in a folder that is not the present one any more.
func (s *Store) stillThere(root *os.Root) error {
	now, err := s.open()
	if err == nil && now != root {
		err = fault.New(fault.Unavailable, "another folder has come to %s meanwhile", s.o.Dir)
	}
	return err
}

// sweep removes what a crash left behind.
func sweep(root *os.Root) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), tempPrefix) {
			continue
		}
		if err := root.Remove(e.Name()); err != nil {
			return fmt.Errorf("remove left-over %s: %w", e.Name(), err)
		}
	}
	return nil
}

// Writable tries a small file, and tells when the folder could not be marked.
func (s *Store) Writable() error {
	root, err := s.open()
	if err != nil {
		return err
	}
	f, err := temp(root)
	if err != nil {
		return s.failed(err, "write to image folder %s", s.o.Dir)
	}
	f.discard()
	if s.lacksMark() != nil {
		s.remember(root) // what failed once is no reason for ever
	}
	return s.lacksMark()
}

func (s *Store) lacksMark() error {
	s.marking.Lock()
	defer s.marking.Unlock()
	return s.unmarked
}
