package jsonlog

import (
	"os"
	"sync"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/fault"
)

func TestAProbeTellsAFullDiskAndLeavesNothing(t *testing.T) {
	path := logPath(t)
	l := open(t, path)
	add(t, l, "a")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Probe(); err != nil {
		t.Error(err)
	}
	write := l.write
	l.write = func([]byte) (int, error) { return 0, syscall.ENOSPC }
	if err := l.Probe(); !fault.Is(err, fault.NoSpace) {
		t.Error(err)
	}
	l.write = write
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("%q became %q, %v", before, after, err)
	}
	wantIDs(t, all(t, l), 1)
}

func TestProbesAmongAppendsTakeNoIDs(t *testing.T) {
	l := open(t, logPath(t))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { add(t, l, "a") })
		wg.Go(func() {
			if err := l.Probe(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := all(t, l); len(got) != 20 || l.Last() != 20 {
		t.Errorf("%d records, last %d", len(got), l.Last())
	}
}
