package task

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"ipxe-all-ready/internal/fault"
)

func copyLeft(i int) Left {
	return Left{Worker: fmt.Sprintf("worker-%d", i), Agent: "st1", Task: fmt.Sprintf("n%d", i), IQN: fmt.Sprintf("q%d", i)}
}

// leftBy is what item i of k left.
func leftBy(k *Task, i int, l Left) []Leftover { return []Leftover{{k.ID(), i, l}} }

func TestTheNextStartKnowsWhatWasLeftAndNotWhatWasSettled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "tasks.json")
	r := open(t, path, Options{})
	defer r.Stop()
	stands := copyLeft(1)
	stands.Task, stands.KeepFile = "", true
	noted := make(chan struct{})
	k := start(t, r, 3, func(k *Task) {
		k.Leave(0, copyLeft(0))
		k.Leave(1, copyLeft(1))
		k.Leave(1, stands) // in the place of the copy
		k.Settle(0)
		k.Leave(2, copyLeft(2))
		k.Settle(2)
		k.Leave(2, copyLeft(2))
		k.Settle(2) // reaches the disk with the end
		close(noted)
		<-k.Context().Done()
	})
	<-noted
	if got := r.Leftovers(); len(got) != 0 {
		t.Errorf("the items are at work still: %v", got)
	}
	next := open(t, path, Options{}) // as if the first had been killed
	want := append(leftBy(k, 1, stands), leftBy(k, 2, copyLeft(2))...)
	if got := next.Leftovers(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	next.Cleared(want[:1])
	next.Cleared(nil)
	if got := open(t, path, Options{}).Leftovers(); !slices.Equal(got, want[1:]) {
		t.Errorf("%v, want %v", got, want[1:])
	}
}

func TestWhatAnItemLeavesIsToldWhenTheItemEndsAndNotTheTask(t *testing.T) {
	r := open(t, filepath.Join(t.TempDir(), "tasks.json"), Options{})
	defer r.Stop()
	k := start(t, r, 2, func(k *Task) {
		k.Leave(0, copyLeft(0))
		k.Leave(1, copyLeft(1))
		k.End(0, fault.New(fault.Unavailable, "silent"))
		<-k.Context().Done()
	})
	<-r.LeftBehind()
	if got := r.Leftovers(); !slices.Equal(got, leftBy(k, 0, copyLeft(0))) {
		t.Errorf("%v", got)
	}
}

func TestWhatAForgottenTaskLeftIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks.json")
	r := open(t, path, Options{Keep: 1})
	k := start(t, r, 1, func(k *Task) { k.Leave(0, copyLeft(0)); k.End(0, fault.New(fault.Unavailable, "silent")) })
	k.Wait()
	start(t, r, 1, func(k *Task) { k.End(0, nil) }).Wait()
	if _, err := r.Get(k.ID()); !fault.Is(err, fault.NotFound) {
		t.Errorf("%v", err)
	}
	for _, r := range []*Registry{r, open(t, path, Options{})} {
		if got := r.Leftovers(); !slices.Equal(got, leftBy(k, 0, copyLeft(0))) {
			t.Errorf("%v", got)
		}
	}
}

func TestANoteInALargeBatchWritesNothingOfTheOtherItems(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks.json")
	r := open(t, path, Options{})
	stat := func(name string) os.FileInfo {
		info, err := os.Stat(filepath.Join(filepath.Dir(path), name))
		if err != nil {
			t.Error(err)
			return nil
		}
		return info
	}
	k := start(t, r, 10_000, func(k *Task) {
		before := stat("tasks.json")
		for i := range 100 {
			k.Leave(i, copyLeft(i))
			if size := stat("leftovers.json").Size(); size > 200 {
				t.Errorf("a note of %d bytes", size)
			}
			k.Settle(i)
			k.End(i, nil)
		}
		if !os.SameFile(before, stat("tasks.json")) {
			t.Error("the history was written in the middle")
		}
	})
	k.Wait()
	if got := open(t, path, Options{}); states(get(t, got, k.ID()))[:6] != "failed" || len(got.Leftovers()) != 0 {
		t.Errorf("%v", got.Leftovers())
	}
}

func TestNothingIsWrittenByOneWhoMayNotWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks.json")
	var lost atomic.Bool
	r := open(t, path, Options{May: func() error {
		if lost.Load() {
			return errors.New("the lock is lost")
		}
		return nil
	}})
	k := start(t, r, 1, func(k *Task) { lost.Store(true); k.Leave(0, copyLeft(0)) })
	k.Wait()
	r.Stop()
	next := open(t, path, Options{})
	if got := states(get(t, next, k.ID())); got != "interrupted interrupted" || len(next.Leftovers()) > 0 {
		t.Errorf("the next one finds %s and %v", got, next.Leftovers())
	}
}
