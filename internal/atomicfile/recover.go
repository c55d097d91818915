package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
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
	Joined                    // as Replayed, and what somebody had added behind it is kept
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
		"the write was cut short and has been finished; what was added to the file since is kept behind it",
	}[o]
}

// Recover finishes a Rewrite of path that a crash cut short, and removes its
// journal. It must run before anything reads path. readable says of a line
// whether a person may have written it.
func Recover(path, journalPath string, readable func(line []byte) bool) (Outcome, error) {
	return osDisk().recover(path, journalPath, nil, readable)
}

// Undo puts back what a Rewrite that failed, under a program that lives on, has
// left half-way. old is what its caller takes the file to hold: where it does,
// there is nothing to undo.
func Undo(path, journalPath string, old []byte) (Outcome, error) {
	return osDisk().recover(path, journalPath, old, nil)
}

// recover goes forward at a start, when there is readable, and else back to old.
func (d disk) recover(path, journalPath string, old []byte, readable func([]byte) bool) (Outcome, error) {
	o, err := d.settle(path, journalPath, old, readable)
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

// mostJournal is above what two texts of the largest file take, in bytes.
const mostJournal = 1 << 30

func (d disk) settle(path, journalPath string, old []byte, readable func([]byte) bool) (Outcome, error) {
	record, err := ReadFile(journalPath, mostJournal)
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
	v, forward := j.judge(content), readable != nil
	switch {
	case v == isOther && forward:
		return d.join(f, j, journalPath, content, readable)
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

// join finishes a rewrite under what somebody added behind it. A journal of its
// own guards it, as the torn one would not know the longer file.
func (d disk) join(f *os.File, j journal, journalPath string, content []byte, readable func([]byte) bool) (Outcome, error) {
	added, ok := j.behind(content, readable)
	if !ok {
		return EditKept, nil
	}
	tail := content[len(content)-len(added)-j.tail:] // what is kept at the end, and what was added
	_, err := d.overwrite(f, journalPath, content, slices.Concat(content[:j.head], j.new, tail))
	return Joined, err
}
