package ledger

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ipxe-all-ready/internal/netboot"
)

// inBubble runs a reloader on a clock of its own and counts its reloads.
func inBubble(t *testing.T, reload func(context.Context) error, test func(r *reloading, reloads *atomic.Int64)) {
	synctest.Test(t, func(*testing.T) {
		reloads := new(atomic.Int64)
		r := newReloading(Options{OnReload: func(error) {}, Reload: func(ctx context.Context) error {
			reloads.Add(1)
			return reload(ctx)
		}})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); r.run(ctx) }()
		test(r, reloads)
		cancel()
		<-done
	})
}

func atOnce(context.Context) error { return nil }

func TestAnAnswerWaitsTwoSecondsWhateverItsReloadWaitsBehind(t *testing.T) {
	hung := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	inBubble(t, hung, func(r *reloading, _ *atomic.Int64) {
		r.ask(1, 0)
		time.Sleep(time.Second) // of the bubble: the first one hangs already
		start := time.Now()
		if ok := r.ask(1, 1).wait(); *ok || time.Since(start) != 2*time.Second {
			t.Errorf("%v after %s, want false after 2s", *ok, time.Since(start))
		}
	})
}

func TestCallersOneAfterTheOtherGetAReloadEachAndAtOnce(t *testing.T) {
	inBubble(t, atOnce, func(r *reloading, reloads *atomic.Int64) {
		start := time.Now()
		for range 20 {
			if ok := r.ask(1, 1).wait(); !*ok {
				t.Error("not reloaded")
			}
		}
		if n := reloads.Load(); n != 20 || time.Since(start) != 0 {
			t.Errorf("%d reloads in %s, want 20 at once", n, time.Since(start))
		}
	})
}

func TestAStormThatNobodyWaitsForCostsAHandfulOfReloads(t *testing.T) {
	inBubble(t, atOnce, func(r *reloading, reloads *atomic.Int64) {
		r.ask(1, 0)
		synctest.Wait()
		if reloads.Load() != 1 {
			t.Error("the first one was held up")
		}
		var last *reload
		for range 500 { // a machine every ten milliseconds: never many between two reloads of one each
			last = r.ask(1, 0)
			time.Sleep(10 * time.Millisecond)
		}
		if ok := last.wait(); !*ok {
			t.Error("the last one was forgotten")
		}
		if n := reloads.Load(); n > 10 {
			t.Errorf("%d reloads in five seconds", n)
		}
	})
}

func TestAPersonWaitsOnlyBrieflyWhileAStormGoesOn(t *testing.T) {
	inBubble(t, atOnce, func(r *reloading, _ *atomic.Int64) {
		for range 300 {
			r.ask(5, 0)
			time.Sleep(10 * time.Millisecond)
		}
		start := time.Now()
		if ok := r.ask(1, 1).wait(); !*ok || time.Since(start) > waitedPause {
			t.Errorf("%v after %s", *ok, time.Since(start))
		}
	})
}

func TestAHungReloadHoldsUpNobodyInTheGroupWhoTouchedNoBinding(t *testing.T) {
	for range 5 { // its two seconds may be over on a machine that stalls
		if reloadsWhileOthersAreAnswered(t) {
			return
		}
	}
	t.Error("who touched no binding waited as long as who did")
}

// reloadsWhileOthersAreAnswered is whether a reload that goes on only when the
// others of its group were answered is still in time for who waits for it.
func reloadsWhileOthersAreAnswered(t *testing.T) bool {
	release := make(chan struct{})
	h := open(t, t.TempDir(), func(o *Options) {
		o.Reload = func(context.Context) error { <-release; return nil }
	})
	answered := make(chan struct{}, 2)
	var receipt Receipt
	others := func(fn func(*Tx) error) func() {
		return func() {
			if _, err := h.Commit(context.Background(), fn); err != nil {
				t.Error(err)
			}
			answered <- struct{}{}
		}
	}
	wait := h.asOneGroup(
		func() { receipt, _ = h.Commit(context.Background(), registered(mac(1), new(netboot.Hostname))) },
		others(func(tx *Tx) error { tx.PutSettings(Settings{Retired: []netboot.Hostname{host("old")}}); return nil }),
		others(func(*Tx) error { return nil }),
	)
	<-answered
	<-answered
	close(release)
	wait()
	// Had the others waited with it, its two seconds would have been over.
	return receipt.Reloaded != nil && *receipt.Reloaded
}

func TestWhoDoesNotAskHowDnsmasqTookItIsNotKeptWaitingByIt(t *testing.T) {
	begun, release, told := make(chan struct{}, 16), make(chan struct{}), make(chan error, 16)
	h := open(t, t.TempDir(), func(o *Options) {
		o.Reload = func(context.Context) error { begun <- struct{}{}; <-release; return nil }
		o.OnReload = func(err error) { told <- err }
	})
	<-begun // that of the start
	if err := h.CommitNoWait(context.Background(), registered(mac(1), new(netboot.Hostname))); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-told:
		t.Errorf("it waited until a reload ended: %v", err)
	default:
	}
	if _, ok := h.Snapshot().Binding(mac(1)); !ok {
		t.Error("the binding is not there")
	}
	close(release)
	for range 2 {
		if err := <-told; err != nil {
			t.Error(err)
		}
	}
}
