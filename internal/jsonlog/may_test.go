package jsonlog

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/fault"
)

func TestWhatMayNotBeWrittenIsRefusedAndLeavesNothing(t *testing.T) {
	path := logPath(t)
	var may error
	l, err := Open(path, Options{May: func() error { return may }})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	add(t, l, "before")
	may = fault.New(fault.Unavailable, "another writes here")
	if _, err := l.Append(context.Background(), event{Op: "refused"}); err != may {
		t.Errorf("%v", err)
	}
	if err := l.Probe(); err != may {
		t.Errorf("a probe: %v", err)
	}
	may = nil
	add(t, l, "after")
	if got := content(t, l); strings.Contains(got, "refused") || strings.Count(got, "\n") != 2 {
		t.Error(got)
	}
}

func TestAFileIsNotMadeByOneWhoMayNotWrite(t *testing.T) {
	path := logPath(t)
	refused := fault.New(fault.Unavailable, "another writes here")
	if l, err := Open(path, Options{May: func() error { return refused }}); err != refused {
		t.Errorf("%v, %v", l, err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file: %v", err)
	}
}

// TestWhatAnotherAppendedIsNotTakenAwayWithAWriteThatFailed: the right to write
// ended during it.
func TestWhatAnotherAppendedIsNotTakenAwayWithAWriteThatFailed(t *testing.T) {
	for name, try := range map[string]func(l *Log) error{
		"an append": func(l *Log) error { _, err := l.Append(context.Background(), event{Op: "refused"}); return err },
		"a probe":   (*Log).Probe,
	} {
		t.Run(name, func(t *testing.T) {
			path := logPath(t)
			var may error
			l, err := Open(path, Options{May: func() error { return may }})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			add(t, l, "before")
			other := open(t, path)
			l.write = func(b []byte) (int, error) {
				n, err := l.file.Write(b[:1]) // and the disk is full
				may = fault.New(fault.Unavailable, "another writes here")
				add(t, other, "another's")
				return n, errors.Join(err, syscall.ENOSPC)
			}
			if err := try(l); !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("%v", err)
			}
			if got := content(t, l); !strings.Contains(got, "another's") {
				t.Errorf("the other's record is gone:\n%s", got)
			}
		})
	}
}
