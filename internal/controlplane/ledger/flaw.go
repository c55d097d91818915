package ledger

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"ipxe-all-ready/internal/fault"
)

// flaw is what is wrong with a file: a line, 0 for the whole, and a sentence.
type flaw struct {
	line int
	text string
}

func (f *flaw) Error() string {
	if f.line == 0 {
		return f.text
	}
	return fmt.Sprintf("line %d: %s", f.line, f.text)
}

func flawAt(line int, format string, args ...any) *flaw {
	return &flaw{line, fmt.Sprintf(format, args...)}
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
		return &flaw{n, "not valid YAML: " + text[m[1]:]}
	}
	return &flaw{0, "not valid YAML: " + text}
}

// asFlaw is err as a flaw.
func asFlaw(err error) *flaw {
	var f *flaw
	if errors.As(err, &f) {
		return f
	}
	return &flaw{0, err.Error()}
}
