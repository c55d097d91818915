package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Outcome is what Recover found.
type Outcome uint8

// What a start can find.
const (
	Clean      Outcome = iota // no journal: nothing was being written
	NotBegun                  // the file holds the old content; the write was never acknowledged
	Finished                  // the file holds the new content; only the journal was left
	Replayed                  // the write was cut off in its middle and is finished now
	EditKept                  // somebody changed the file since; it was left as it is
	JournalBad                // the journal cannot be read: it never was complete, so nothing was overwritten
	PutBack                   // the write had failed, and is undone now
)

func (o Outcome) String() string {
	return [...]string{
		"nothing to recover",
		"the write had not begun",
		"the write was complete",
		"the write was cut short and has been finished",
		"the file was edited after the write was cut short and is left as it is",
		"the journal is torn, so the write had not begun",
		"the write had failed and has been undone",
	}[o]
}

// Recover finishes a Rewrite of path that a crash cut short, and removes its
// journal. It must run before anything reads path.
func Recover(path, journalPath string) (Outcome, error) {
	return osDisk().recover(path, journalPath, nil, true)
}

// Undo puts back what a Rewrite that failed, under a program that lives on, has
// left half-way. old is what its caller takes the file to hold: where it does,
// there is nothing to undo.
func Undo(path, journalPath string, old []byte) (Outcome, error) {
	return osDisk().recover(path, journalPath, old, false)
}

func (d disk) recover(path, journalPath string, old []byte, forward bool) (Outcome, error) {
	o, err := d.settle(path, journalPath, old, forward)
	if err != nil {
		return o, fmt.Errorf("recover %s: %w", path, err)
	}
	if o == Clean {
		return o, nil
	}
	if err := d.drop(journalPath); err != nil {
		return o, fmt.Errorf("recover %s: %w", path, err)
	}
	return o, nil
}

func (d disk) settle(path, journalPath string, old []byte, forward bool) (Outcome, error) {
	record, err := ReadFile(journalPath)
	if errors.Is(err, fs.ErrNotExist) {
		return Clean, nil
	}
	if err != nil {
		return Clean, err
	}
	j, err := decodeJournal(record)
	if err != nil {
		return JournalBad, nil
	}
	f, err := Open(path, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return EditKept, nil
	}
	if err != nil {
		return Clean, err
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	if err != nil {
		return Clean, err
	}
	v := j.judge(content)
	switch {
	case v == isOther:
		return EditKept, nil
	case v == isNew && (forward || bytes.Equal(content, old)):
		// The bytes may stand in the page cache alone.
		return Finished, d.sync(f)
	case v == isOld:
		return NotBegun, d.sync(f)
	case forward || bytes.Equal(j.whole(content), old):
		_, err := d.put(f, j.head, j.new, j.head+len(j.new)+j.tail)
		return Replayed, err
	}
	_, err = d.put(f, j.head, j.old, j.head+len(j.old)+j.tail)
	return PutBack, err
}
