package onewriter

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var words = Words{Writer: "writer", Files: "files"}

func open(t *testing.T, path string) *Lock {
	t.Helper()
	l, err := Open(path, words)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Release)
	return l
}

func TestASecondOneIsToldWhoHoldsTheLockAndMayHaveItAfterwards(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "the.lock")
	first := open(t, path)
	_, err := Open(path, words)
	host, _ := os.Hostname()
	want := fmt.Sprintf(`^another writer, process %d on %s since \d{4}-\d\d-\d\dT[0-9:.]{12}Z, holds %s; two must not write the same files`, os.Getpid(), regexp.QuoteMeta(host), regexp.QuoteMeta(path))
	if !errors.Is(err, ErrHeld) || !regexp.MustCompile(want).MatchString(err.Error()) {
		t.Errorf("got %v\nwant %s", err, want)
	}
	first.Release()
	open(t, path)
}

func TestALockOfTwoNamesIsOneLock(t *testing.T) {
	dir := t.TempDir()
	open(t, filepath.Join(dir, "a"))
	for name, link := range map[string]func(string, string) error{"hard": os.Link, "symbolic": os.Symlink} {
		other := filepath.Join(dir, name)
		if err := link(filepath.Join(dir, "a"), other); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(other, words); !errors.Is(err, ErrHeld) {
			t.Errorf("by a %s link: %v", name, err)
		}
	}
}

func TestAStampIsWrittenOverALongerOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "the.lock")
	if err := os.WriteFile(path, []byte(strings.Repeat("9", 200)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := open(t, path)
	if text, err := os.ReadFile(path); err != nil || string(text) != l.stamp+"\n" || l.Held() != nil {
		t.Errorf("it holds %q, %v, %v", text, err, l.Held())
	}
}

func TestALockIsLostToAnotherFileAndToAnotherNameInItAndNotToNone(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(path string) error
		lost    string // empty: it is not
	}{
		"gone":     {os.Remove, ""},
		"replaced": {func(path string) error { return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600)) }, "was replaced: another writer may write these files"},
		"another's": {func(path string) error { return os.WriteFile(path, []byte("77 on other since then\n"), 0o600) },
			"was lost: process 77 on other since then holds it"},
	} {
		path := filepath.Join(t.TempDir(), "the.lock")
		l := open(t, path)
		if err := c.happens(path); err != nil {
			t.Fatal(err)
		}
		if err := l.Held(); errors.Is(err, ErrLost) != (c.lost != "") || c.lost != "" && !strings.Contains(err.Error(), c.lost) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestALockThatIsOpenForReadingIsStampedAllTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "the.lock")
	f, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Take(f, words)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), fmt.Sprintf("%d on ", os.Getpid())) || l.Held() != nil {
		t.Errorf("it holds %q, %v, %v", text, err, l.Held())
	}
	if _, err := Open(path, words); !errors.Is(err, ErrHeld) {
		t.Errorf("a second one gets %v", err)
	}
}

func TestWhoHoldsALockIsToldAndNobodyAfterwards(t *testing.T) {
	path := filepath.Join(t.TempDir(), "the.lock")
	l := open(t, path)
	look, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer look.Close()
	if got := Holder(look); got != l.stamp || l.Held() != nil {
		t.Errorf("it tells %q, not %q; %v", got, l.stamp, l.Held())
	}
	l.Release()
	if got := Holder(look); got != "" {
		t.Errorf("it tells %q of a lock that was given back", got)
	}
	open(t, path) // a look keeps nobody off
}
