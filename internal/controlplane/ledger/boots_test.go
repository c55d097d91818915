package ledger

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// bootedAfterRestart are the workers whose last boot is known then.
func bootedAfterRestart(t *testing.T, dir string) (names []string) {
	t.Helper()
	h := open(t, dir)
	defer h.stop()
	for w := range h.Snapshot().Workers() {
		if _, ok := h.Snapshot().LastBoot(w.ID); ok {
			names = append(names, w.ID.String())
		}
	}
	return names
}

func TestAWorkerMadeAnewDoesNotHaveTheLastBootOfTheOneBefore(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 3)
	h := open(t, dir)
	for w := range h.Snapshot().Workers() {
		h.MarkBoot(w, time.Unix(1, 0))
	}
	h.stop()
	if got := bootedAfterRestart(t, dir); len(got) != 3 {
		t.Fatalf("after a restart: %q", got)
	}
	h = open(t, dir)
	h.commit(func(tx *Tx) error { tx.DeleteWorker(id("worker-01")); return nil })
	h.commit(func(tx *Tx) error { tx.PutWorker(plainWorker("worker-01")); return nil })
	if at, ok := h.Snapshot().LastBoot(id("worker-01")); ok {
		t.Errorf("at once: %v", at)
	}
	h.stop()
	if got := bootedAfterRestart(t, dir); !slices.Equal(got, []string{"worker-02", "worker-03"}) {
		t.Errorf("after a restart: %q", got)
	}
	h = open(t, dir)
	whole := read(t, h.o.WorkersFile)
	swap(t, h.o.WorkersFile, strings.Replace(whole, "worker-02", "pc-02", 2))
	eventually(t, "it is gone", func() bool { _, ok := h.Snapshot().Worker(id("worker-02")); return !ok })
	h.stop()
	swap(t, h.o.WorkersFile, whole)
	if got := bootedAfterRestart(t, dir); !slices.Equal(got, []string{"worker-03"}) {
		t.Errorf("after a restart, one deleted by hand: %q", got)
	}
}

func TestARowMadeAnewAsItWasIsAChangeThoughItsMachineBootsMeanwhile(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 1)
	var told []Change
	h := open(t, dir, func(o *Options) { o.OnChange = func(c Change) { told = append(told, c) } })
	old, stop := h.worker("worker-01"), make(chan struct{})
	var boots sync.WaitGroup
	boots.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				h.MarkBoot(old, time.Unix(1, 0))
				old.Keep("script")
			}
		}
	})
	for range 20 {
		h.commit(func(tx *Tx) error { tx.DeleteWorker(old.ID); tx.PutWorker(old); return nil })
	}
	close(stop)
	boots.Wait()
	h.stop()
	if len(told) != 20 {
		t.Errorf("%d of 20 are told", len(told))
	}
}

func TestLastBootsAreNotWrittenByOneWhoMayNotWrite(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 1)
	another := `{"schema":1,"boots":{"worker-01":"2026-07-01T10:00:00Z"}}` + "\n"
	write(t, optionsIn(dir).BootsFile, another)
	h := open(t, dir, func(o *Options) { o.May = func() error { return errors.New("the lock is lost") } })
	h.MarkBoot(h.worker("worker-01"), time.Unix(1, 0))
	h.stop()
	if got := read(t, h.o.BootsFile); got != another {
		t.Errorf("it wrote %s", got)
	}
}
