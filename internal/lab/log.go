package lab

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Log follows a growing file: a program's output or a machine's serial line.
// It reads the file as a person sees it, without the terminal's control codes,
// and goes forward only: what one WaitFor has found, the next does not see.
type Log struct {
	path  string
	width int // columns after which a screen breaks a line; 0 for no screen
	mu    sync.Mutex
	raw   int64  // bytes of the file read so far
	rest  []byte // a control code that is not complete yet
	text  []byte // everything read, cleaned
	col   int    // columns in the last line of text
	mark  int    // how far of text WaitFor has got
}

// OpenLog follows the file from its present end; it need not exist yet.
func OpenLog(path string) *Log {
	l := &Log{path: path}
	if st, err := os.Stat(path); err == nil {
		l.raw = st.Size()
	}
	return l
}

// WaitFor waits until the pattern appears after the last match and returns
// what it and its groups matched. The error tells the last lines seen instead.
func (l *Log) WaitFor(pattern string, timeout time.Duration) ([]string, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("wait in %s: %w", l.path, err)
	}
	var found []string
	err = Poll(timeout, func() error {
		if found = l.next(re); found == nil {
			return fmt.Errorf("no %q in %s", pattern, l.path)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%w; last lines:\n%s", err, l.Tail(15))
	}
	return found, nil
}

func (l *Log) next(re *regexp.Regexp) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.read()
	at := re.FindSubmatchIndex(l.text[l.mark:])
	if at == nil {
		return nil
	}
	var found []string
	for i := 0; i < len(at); i += 2 {
		s := ""
		if at[i] >= 0 {
			s = string(l.text[l.mark+at[i] : l.mark+at[i+1]])
		}
		found = append(found, s)
	}
	l.mark += at[1]
	return found
}

// Skip forgets all that has been written until now.
func (l *Log) Skip() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.read()
	l.mark = len(l.text)
}

// Text is everything read since the log was opened.
func (l *Log) Text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.read()
	return string(l.text)
}

// Tail is the last n lines that are not blank.
func (l *Log) Tail(n int) string {
	var lines []string
	for _, s := range strings.Split(l.Text(), "\n") {
		if s = strings.TrimSpace(s); s != "" {
			lines = append(lines, s)
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// control matches a terminal's control codes; move those that go to a place
// on the screen.
var (
	control = regexp.MustCompile(`\x1b\[[0-9;?=]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[c=>78]|\r+`)
	move    = regexp.MustCompile(`\x1b\[[0-9;]*[Hf]`)
)

func (l *Log) read() {
	f, err := os.Open(l.path)
	if err != nil {
		return // not written yet
	}
	defer f.Close()
	b, _ := io.ReadAll(io.NewSectionReader(f, l.raw, 1<<30)) // what cannot be read now is read at the next call
	l.raw += int64(len(b))
	b = append(l.rest, b...)
	l.rest = nil
	if i := bytes.LastIndexByte(b, 0x1b); i >= 0 && len(b)-i < 16 && !control.Match(b[i:]) {
		b, l.rest = b[:i], append([]byte(nil), b[i:]...)
	}
	l.add(control.ReplaceAll(move.ReplaceAll(b, []byte("\n")), nil))
}

// add appends b, putting lines together again that the screen has broken.
func (l *Log) add(b []byte) {
	for _, c := range b {
		if c != '\n' {
			l.col++
		} else if broken := l.width > 0 && l.col == l.width; broken {
			l.col = 0
			continue
		} else {
			l.col = 0
		}
		l.text = append(l.text, c)
	}
}
