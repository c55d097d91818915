//go:build integration

package lab_test

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/lab"
)

func TestAClosedLabLeavesNothingBehind(t *testing.T) {
	l, err := lab.New()
	must(t, err)
	h, err := l.AddHost("st", netip.MustParseAddr("192.168.80.3"))
	must(t, err)
	port, err := l.FreeControlPort()
	must(t, err)
	tgtd, err := h.StartTgtd("tgtd", port)
	must(t, err)
	// A daemon in a session of its own, as an agent starts tgtd: the lab has
	// never heard of it, but it is in the lab's network.
	stray, err := h.Start("stray", nil, "setsid", "--fork", "sleep", "1000")
	must(t, err)
	<-stray.Done()

	must(t, l.Close())
	must(t, l.Close())

	if err := syscall.Kill(tgtd.PID(), 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("tgtd is still there: %v", err)
	}
	if _, err := os.Stat(l.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder %s is still there: %v", l.Dir, err)
	}
	if left, _ := filepath.Glob("/run/netns/" + filepath.Base(l.Dir) + "-*"); len(left) > 0 {
		t.Errorf("namespaces are still there: %q", left)
	}
	cmdlines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range cmdlines {
		if b, _ := os.ReadFile(file); string(b) == strings.Join([]string{"sleep", "1000", ""}, "\x00") {
			t.Errorf("a process that left its parent is still there: %s", file)
		}
	}
	if _, err := h.Start("late", nil, "sleep", "1000"); err == nil {
		t.Error("a closed lab started a process")
	}
}

// A signal closes the lab beside whoever uses it, and whose failure then closes it too.
func TestEveryCloseReturnsWhenNothingIsLeft(t *testing.T) {
	l, err := lab.New()
	must(t, err)
	for i, addr := range []string{"192.168.80.3", "192.168.80.4", "192.168.80.5"} {
		_, err := l.AddHost([]string{"a", "b", "c"}[i], netip.MustParseAddr(addr))
		must(t, err)
	}
	left := make(chan error, 2)
	for range 2 {
		go func() {
			err := l.Close()
			if _, there := os.Stat(l.Dir); !errors.Is(there, os.ErrNotExist) {
				err = errors.Join(err, errors.New("a Close has returned and the lab's folder is still there"))
			}
			left <- err
		}()
	}
	must(t, <-left)
	must(t, <-left)
}
