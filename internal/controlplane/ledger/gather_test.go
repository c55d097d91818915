package ledger

import (
	"testing"
	"time"
)

// arriving is a ledger at which n wait, and more come one after another until
// its end is called, no matter how many are let in.
func arriving(n int) (l *Ledger, end func()) {
	l = &Ledger{waiting: make([]*request, n)}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(100 * time.Microsecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				l.mu.Lock()
				l.waiting = append(l.waiting, nil)
				l.mu.Unlock()
			}
		}
	}()
	return l, func() { close(stop); <-done }
}

func TestACrowdLetsLatecomersIn(t *testing.T) {
	for range 50 { // on a busy machine nobody may come during one lull
		l, end := arriving(crowd)
		l.gather(t.Context())
		n := l.queued()
		end()
		if n >= crowd+5 {
			return
		}
	}
	t.Error("nobody was let in")
}
