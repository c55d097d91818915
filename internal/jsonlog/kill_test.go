package jsonlog

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"testing"
)

const childVariable = "JSONLOG_TEST_CHILD_PATH"

// TestMain lets the test binary be the child that is killed: it appends from
// many goroutines and prints each id once its append has returned.
func TestMain(m *testing.M) {
	path := os.Getenv(childVariable)
	if path == "" {
		os.Exit(m.Run())
	}
	l, err := Open(path, Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var mu sync.Mutex
	for range 8 {
		go func() {
			for {
				id, err := l.Append(context.Background(), event{Op: "x", Note: "a record of some length, so that it can be torn"})
				if err != nil {
					os.Exit(1)
				}
				mu.Lock()
				fmt.Println(id)
				mu.Unlock()
			}
		}()
	}
	select {}
}

func TestKilledAtAnyInstantEveryAcknowledgedRecordIsThere(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := logPath(t)
	var acknowledged []int64
	for round := range 5 {
		acknowledged = append(acknowledged, runAndKill(t, self, path, 100+37*round)...)
		l := open(t, path)
		got := all(t, l)
		for i, id := range got {
			if id != int64(i+1) {
				t.Fatalf("id %d stands at place %d", id, i+1)
			}
		}
		for _, id := range acknowledged {
			if id > l.Last() {
				t.Fatalf("acknowledged id %d is lost; the last is %d", id, l.Last())
			}
		}
		l.Close()
	}
	slices.Sort(acknowledged)
	if n := len(slices.Compact(acknowledged)); n < 5*100 || n != len(acknowledged) {
		t.Fatalf("%d distinct ids of %d were acknowledged", n, len(acknowledged))
	}
}

// runAndKill kills the child once it has acknowledged n ids and returns all that it did.
func runAndKill(t *testing.T, self, path string, n int) (ids []int64) {
	t.Helper()
	child := exec.Command(self)
	child.Env = append(os.Environ(), childVariable+"="+path)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		id, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err != nil {
			t.Fatalf("the child said %q", lines.Text())
		}
		ids = append(ids, id)
		if len(ids) == n {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = child.Wait() // it was killed
	return ids
}
