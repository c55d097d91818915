package ledger

import (
	"sync/atomic"
	"time"

	"ipxe-all-ready/internal/fault"
)

// request is one Commit that waits for its answer.
type request struct {
	fn    func(*Tx) error
	waits bool        // for the reload too
	taken atomic.Bool // by the committer, or by a caller that gave up
	done  chan answer // holds one
}

type answer struct {
	reload *reload // that follows from the change; nil when none does
	err    error
}

func (l *Ledger) enqueue(r *request) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return fault.New(fault.Unavailable, "the control plane is stopping")
	}
	l.waiting = append(l.waiting, r)
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return nil
}

// Where a crowd waits more are on their way: a rack was powered on. They are let
// come, as long as they do, for a file that is written once for all of them.
const (
	crowd    = 16
	lull     = 2 * time.Millisecond // nobody came for so long: that was all
	patience = 50 * time.Millisecond
)

func (l *Ledger) gather() {
	begun := time.Now()
	for before, n := 0, l.queued(); n >= crowd && n > before && time.Since(begun) < patience; {
		time.Sleep(lull)
		before, n = n, l.queued()
	}
}

func (l *Ledger) queued() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting)
}

// takeAll takes what waits; last also closes the queue.
func (l *Ledger) takeAll(last bool) []*request {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = l.closed || last
	all := l.waiting
	l.waiting = nil
	batch := all[:0:0]
	for _, r := range all {
		if r.taken.CompareAndSwap(false, true) {
			batch = append(batch, r)
		}
	}
	return batch
}
