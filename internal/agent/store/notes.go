package store

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"sync"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/iscsi"
)

// notesFile keeps, beside the images, which IQNs were chosen for them.
const notesFile = ".ipxe-agent.json"

// Note says that a file is exported under an IQN that its name does not tell.
type Note struct {
	IQN  iscsi.IQN
	Name image.Name
}

// notes serialises changes of the file. It is read anew each time: it is small,
// and a person may have mended it.
type notes struct{ mu sync.Mutex }

// The file: {"schema":1,"targets":[{"iqn":"iqn.2026-07.com.controller:pc","file":"x.img"}]}
type notesOnDisk struct {
	Schema  int          `json:"schema"`
	Targets []noteOnDisk `json:"targets"`
}

type noteOnDisk struct {
	IQN  string `json:"iqn"`
	File string `json:"file"`
}

// Notes are what the file holds; rows that cannot be read come back in broken.
func (s *Store) Notes() (read []Note, broken []error, err error) {
	s.notes.mu.Lock()
	defer s.notes.mu.Unlock()
	root, err := s.open()
	if err != nil {
		return nil, nil, err
	}
	rows, err := s.readNotes(root)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range rows {
		n, err := r.parse()
		if err != nil {
			broken = append(broken, err)
			continue
		}
		read = append(read, n)
	}
	return read, broken, nil
}

func (r noteOnDisk) parse() (Note, error) {
	q, err := iscsi.ParseIQN(r.IQN)
	if err != nil {
		return Note{}, fault.New(fault.Invalid, "%s: %s", notesFile, fault.Sentence(err))
	}
	n, err := image.ParseCD(r.File)
	if err != nil {
		n, err = image.ParseDisk(r.File)
	}
	if err != nil {
		return Note{}, fault.New(fault.Invalid, "%s: %s", notesFile, fault.Sentence(err))
	}
	return Note{IQN: q, Name: n}, nil
}

// Note keeps that n is exported as q, instead of what was kept of q before.
func (s *Store) Note(q iscsi.IQN, n image.Name) error {
	return s.changeNotes(func(rows []noteOnDisk) []noteOnDisk {
		rows = slices.DeleteFunc(rows, func(r noteOnDisk) bool {
			return r.IQN == q.String() || !n.IsCD() && r.File == n.String() // a disk has one target
		})
		return append(rows, noteOnDisk{IQN: q.String(), File: n.String()})
	})
}

// Forget drops what is kept of an IQN.
func (s *Store) Forget(q iscsi.IQN) error {
	return s.changeNotes(func(rows []noteOnDisk) []noteOnDisk {
		return slices.DeleteFunc(rows, func(r noteOnDisk) bool { return r.IQN == q.String() })
	})
}

// ForgetFile drops what is kept of a file.
func (s *Store) ForgetFile(n image.Name) error {
	return s.changeNotes(func(rows []noteOnDisk) []noteOnDisk {
		return slices.DeleteFunc(rows, func(r noteOnDisk) bool { return r.File == n.String() })
	})
}

func (s *Store) changeNotes(change func([]noteOnDisk) []noteOnDisk) error {
	s.notes.mu.Lock()
	defer s.notes.mu.Unlock()
	root, err := s.open()
	if err != nil {
		return err
	}
	old, err := s.readNotes(root)
	if err != nil {
		return err
	}
	rows := change(slices.Clone(old))
	if slices.Equal(old, rows) {
		return nil
	}
	return s.writeNotes(root, rows)
}

func (s *Store) readNotes(root *os.Root) ([]noteOnDisk, error) {
	text, err := readHidden(root, notesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, s.failed(err, "read %s", notesFile)
	}
	var doc notesOnDisk
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fault.Wrap(fault.Conflict, err, "%s in the image folder is broken, mend or remove it: %v", notesFile, err)
	}
	if doc.Schema > 1 {
		return nil, fault.New(fault.Conflict, "%s in the image folder has schema %d, this agent reads 1", notesFile, doc.Schema)
	}
	return doc.Targets, nil
}

func (s *Store) writeNotes(root *os.Root, rows []noteOnDisk) error {
	text, err := json.MarshalIndent(notesOnDisk{Schema: 1, Targets: rows}, "", "  ")
	if err != nil {
		return fault.Wrap(fault.Internal, err, "encode %s", notesFile)
	}
	return s.replaceHidden(root, notesFile, append(text, '\n'))
}
