package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestALogIsReadAsAPersonSeesTheScreen(t *testing.T) {
	l, write := newLog(t)
	l.width = 10
	write("0123456789\r\nabc\r\n\x1b[1;37mbold\x1b[0m\x1b[5;1Hmoved \x1b[")
	write("0mon\r\n")
	if got, want := l.Text(), "0123456789abc\nbold\nmoved on\n"; got != want {
		t.Errorf("read %q, want %q", got, want)
	}
}

func TestAMatchIsFoundOnce(t *testing.T) {
	l, write := newLog(t)
	write("boot 1\nboot 2\n")
	for _, want := range []string{"1", "2"} {
		got, err := l.WaitFor(`boot (\d)`, 20*time.Second)
		if err != nil || got[1] != want {
			t.Fatalf("found %q, %v; want %s", got, err, want)
		}
	}
	_, err := l.WaitFor(`boot \d`, 0)
	if err == nil || !strings.Contains(err.Error(), "last lines:\nboot 1\nboot 2") {
		t.Errorf("the third wait ended with %v, want a failure that shows the last lines", err)
	}
}

func TestALogStartsAtThePresentEndOfItsFile(t *testing.T) {
	l, write := newLog(t)
	write("old\n")
	l = OpenLog(l.path)
	write("new\n")
	if got := l.Text(); got != "new\n" {
		t.Errorf("read %q, want only what came later", got)
	}
}

func newLog(t *testing.T) (*Log, func(string)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	l := OpenLog(path)
	return l, func(s string) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(s); err != nil {
			t.Fatal(err)
		}
	}
}
