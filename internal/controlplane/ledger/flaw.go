package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"

	"ipxe-all-ready/internal/fault"
)

// flaw is what is wrong with a file: a line, 0 for the whole, and a sentence.
type flaw struct {
	line int
	text string
	do   string // what mends it; "": an editor
}

func (f *flaw) Error() string {
	if f.line == 0 {
		return f.text
	}
	return fmt.Sprintf("line %d: %s", f.line, f.text)
}

// flaws are several, in the order in which they were found. Its sentence is the
// first one's.
type flaws []*flaw

func (f flaws) Error() string { return f[0].Error() }

func (f flaws) Unwrap() []error {
	out := make([]error, len(f))
	for i := range f {
		out[i] = f[i]
	}
	return out
}

func (f flaws) err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

func flawAt(line int, format string, args ...any) *flaw {
	return &flaw{line: line, text: fmt.Sprintf(format, args...)}
}

// flawed makes a flaw of an error that a word's constructor gave.
func flawed(line int, what string, err error) *flaw {
	return flawAt(line, "%s: %s", what, fault.Sentence(err))
}

var yamlLine = regexp.MustCompile(`line (\d+): `)

// yamlFlaw reads the line out of an error of the YAML library:
// "yaml: line 7: did not find expected key".
func yamlFlaw(err error) *flaw {
	text := err.Error()
	if m := yamlLine.FindStringSubmatchIndex(text); m != nil {
		n, _ := strconv.Atoi(text[m[2]:m[3]])
		return &flaw{line: n, text: "not valid YAML: " + text[m[1]:]}
	}
	return &flaw{text: "not valid YAML: " + text}
}

// What mends a file that no editor does.
const (
	doNewer  = "install the newer release again, or put back the .bak that it left beside the file; until then the file is served as far as it can be read, and never changed"
	doReturn = "put the file back; until then nothing is written in its place"
	doAccess = "give it to the user that ipxe-cp runs as"
)

// newer says that a later release wrote the file.
func newer(line, schema, known int) *flaw {
	return &flaw{line, fmt.Sprintf("schema %d is newer than this program, which knows %d: a newer release wrote the file", schema, known), doNewer}
}

// mendedBy is f with what mends it.
func (f *flaw) mendedBy(do string) *flaw { return &flaw{f.line, f.text, do} }

// asFlaw is err as a flaw, the first of several.
func asFlaw(err error) *flaw {
	var f *flaw
	if errors.As(err, &f) {
		return f
	}
	if errors.Is(err, fs.ErrPermission) {
		return &flaw{text: err.Error(), do: doAccess}
	}
	return &flaw{text: err.Error()}
}
