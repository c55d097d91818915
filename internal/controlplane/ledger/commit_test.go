package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

func TestACommitIsOnDiskAndVisibleWhenItReturns(t *testing.T) {
	h := open(t, t.TempDir())
	var name netboot.Hostname
	r := h.commit(registered(mac(1), &name))
	if r.Reloaded == nil || !*r.Reloaded {
		t.Errorf("Reloaded = %v", r.Reloaded)
	}
	want := `schema: 1
workers:
  worker-01:
    hostname: worker-01
    arch: x86_64
    state: registered
    disks: []
    cd: null
...
`
	if got := read(t, h.o.WorkersFile); got != want {
		t.Errorf("workers.yml:\n%s\nwant\n%s", got, want)
	}
	if got, want := read(t, h.o.HostsFile), "52:54:00:00:00:01,worker-01\n"; got != want {
		t.Errorf("dhcp-hosts.conf: %q, want %q", got, want)
	}
	w, bound, ok := h.Snapshot().ByMAC(mac(1))
	if !ok || w == nil || bound != host("worker-01") {
		t.Errorf("ByMAC: %v %v %v", w, bound, ok)
	}
}

func TestAFullWorkerReadsBackAsItWasPut(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir)
	w := plainWorker("worker-07")
	timeout := 0
	w.Boot.MenuDefault, w.Boot.MenuTimeout = netboot.Reboot, &timeout
	w.Error = "no: such # thing"
	h.commit(func(tx *Tx) error { tx.PutWorker(w); return nil })
	h.stop()
	again := open(t, dir)
	got, ok := again.Snapshot().Worker(w.ID)
	if !ok || fmt.Sprintf("%+v", got.Disks) != fmt.Sprintf("%+v", w.Disks) || got.Error != w.Error || *got.Boot.MenuTimeout != 0 || got.Boot.MenuDefault != netboot.Reboot || !got.CreatedAt.Equal(w.CreatedAt) {
		t.Errorf("read back %+v", got)
	}
}

func TestTwoHundredCallersShareAHandfulOfWritesAndReloads(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 1000)
	h := open(t, dir)
	before := h.Snapshot()
	var wg sync.WaitGroup
	names := make([]netboot.Hostname, 200)
	for i := range names {
		wg.Go(func() {
			if _, err := h.Commit(context.Background(), registered(mac(5000+i), &names[i])); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	seen := map[netboot.Hostname]bool{}
	for i, n := range names {
		seen[n] = true
		if got, _ := h.Snapshot().Binding(mac(5000 + i)); got != n {
			t.Errorf("%s is bound to %s, want %s", mac(5000+i), got, n)
		}
	}
	for i := 1001; i <= 1200; i++ {
		if !seen[host(fmt.Sprintf("worker-%d", i))] {
			t.Fatalf("worker-%d is missing", i)
		}
	}
	if n := h.reloads.Load(); n > 20 {
		t.Errorf("%d reloads", n)
	}
	if before.Len() != 1000 || h.Snapshot().Len() != 1200 {
		t.Errorf("the old snapshot has %d workers, the new one %d", before.Len(), h.Snapshot().Len())
	}
	if n := strings.Count(read(t, h.o.HostsFile), "\n"); n != 1200 {
		t.Errorf("%d lines of bindings", n)
	}
}

func TestAFailingFunctionUndoesItsOwnChangesOnly(t *testing.T) {
	h := open(t, t.TempDir())
	h.commit(func(tx *Tx) error {
		tx.PutWorker(plainWorker("worker-01"))
		tx.Bind(mac(1), host("worker-01"))
		tx.PutSettings(Settings{Retired: []netboot.Hostname{host("worker-99")}})
		return nil
	})
	text, hosts := read(t, h.o.WorkersFile), read(t, h.o.HostsFile)
	boom := errors.New("boom")
	results := h.together(
		func(tx *Tx) error { tx.PutWorker(plainWorker("worker-05")); return nil },
		func(tx *Tx) error {
			w := plainWorker("worker-01")
			w.Hostname = host("worker-05") // even a clash that the caller sees too late
			tx.PutWorker(w)
			tx.DeleteWorker(id("worker-05"))
			tx.Unbind(host("worker-01"))
			tx.Bind(mac(1), host("worker-05"))
			tx.Bind(mac(9), host("worker-77"))
			tx.PutSettings(Settings{})
			return boom
		},
		func(tx *Tx) error {
			if n := tx.NextName(); n != host("worker-06") {
				t.Errorf("NextName = %s", n)
			}
			if w, ok := tx.ByHostname(host("worker-05")); !ok || w.ID != id("worker-05") {
				t.Errorf("worker-05 is %v", w)
			}
			panic("bug")
		},
	)
	if results[0] != nil || !errors.Is(results[1], boom) || !fault.Is(results[2], fault.Internal) {
		t.Fatalf("results: %v", results)
	}
	if got := read(t, h.o.HostsFile); got != hosts {
		t.Errorf("bindings: %q", got)
	}
	if got := read(t, h.o.WorkersFile); !strings.HasPrefix(got, strings.TrimSuffix(text, "...\n")) || !strings.Contains(got, "worker-05:") {
		t.Errorf("workers.yml:\n%s", got)
	}
	if got := h.Snapshot().Settings().Retired; len(got) != 1 {
		t.Errorf("retired: %v", got)
	}
}

func TestAFunctionThatChangesNothingWritesNothing(t *testing.T) {
	h := open(t, t.TempDir())
	h.commit(func(tx *Tx) error {
		tx.PutWorker(plainWorker("worker-01"))
		tx.Bind(mac(1), host("worker-01"))
		return nil
	})
	before := h.Snapshot()
	r := h.commit(func(tx *Tx) error {
		w, _ := tx.Worker(id("worker-01"))
		tx.PutWorker(w.Clone())
		if tx.Bind(mac(1), host("worker-01")) {
			t.Error("the same binding counts as a change")
		}
		return nil
	})
	if h.Snapshot() != before || r.Reloaded != nil {
		t.Error("something was written")
	}
}

func TestACallerWhoGivesUpBeforeItsTurnChangesNothing(t *testing.T) {
	h := open(t, t.TempDir())
	gate := make(chan struct{})
	taken := make(chan struct{})
	go h.Commit(context.Background(), func(*Tx) error { close(taken); <-gate; return nil })
	<-taken
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := h.Commit(ctx, func(tx *Tx) error { tx.PutWorker(plainWorker("worker-01")); return nil })
	close(gate)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("err = %v", err)
	}
	h.commit(func(*Tx) error { return nil })
	if h.Snapshot().Len() != 0 {
		t.Error("the change was made all the same")
	}
}

func TestWhatIsQueuedWhenItStopsIsAnsweredAndLaterCallsAreRefused(t *testing.T) {
	h := open(t, t.TempDir())
	gate, taken := make(chan struct{}), make(chan struct{})
	go h.Commit(context.Background(), func(*Tx) error { close(taken); <-gate; return nil })
	<-taken
	result := make(chan error, 1)
	go func() {
		_, err := h.Commit(context.Background(), func(tx *Tx) error { tx.PutWorker(plainWorker("worker-01")); return nil })
		result <- err
	}()
	eventually(t, "queued", func() bool { h.mu.Lock(); defer h.mu.Unlock(); return len(h.waiting) == 1 })
	go close(gate)
	h.stop()
	if err := <-result; err != nil || h.Snapshot().Len() != 1 {
		t.Errorf("err = %v, %d workers", err, h.Snapshot().Len())
	}
	_, err := h.Commit(context.Background(), func(*Tx) error { return nil })
	if !fault.Is(err, fault.Unavailable) || fault.Sentence(err) != "the control plane is stopping" {
		t.Errorf("err = %v", err)
	}
}
