package ledger

import (
	"context"
	"sync"
	"time"
)

const (
	reloadPatience = 2 * time.Second // how long an answer waits for dnsmasq
	firstRetry     = time.Second
	longestRetry   = time.Minute

	// Each reload makes dnsmasq read its whole file. In a storm the pause before
	// the next one doubles, so that its length does not count, until it is over.
	firstPause   = 50 * time.Millisecond
	longestPause = time.Second
	waitedPause  = 200 * time.Millisecond // the longest while somebody waits
	stormOver    = 2 * time.Second

	fewestOfStorm = 5 // changes between two reloads
)

// reloading tells dnsmasq to read its file, apart from the committer, so that a
// slow one holds up nobody's write. What is asked for while one reload runs is
// done by the next one together.
type reloading struct {
	reload func(context.Context) error // nil: off
	told   func(error)

	mu   sync.Mutex
	next *reload // nil: none is wanted
	wake chan struct{}

	last  time.Time     // of run alone: the end of the last reload
	pause time.Duration // of run alone: before the next one of this storm
}

// reload is one that will be or is being made, shared by all who asked for it.
type reload struct {
	asked, waited int           // changes of bindings, and those among them whose callers wait
	done          chan struct{} // closed when ok is known
	ok            bool
}

func newReloading(o Options) *reloading {
	return &reloading{reload: o.Reload, told: o.OnReload, wake: make(chan struct{}, 1)}
}

// ask wants a reload after now, for so many changes; nil when reloading is off.
func (r *reloading) ask(changes, waited int) *reload {
	if r.reload == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next == nil {
		r.next = &reload{done: make(chan struct{})}
	}
	r.next.asked += changes
	r.next.waited += waited
	select {
	case r.wake <- struct{}{}:
	default:
	}
	return r.next
}

// wait is whether the reload went well; false too when that takes too long.
func (x *reload) wait() *bool {
	ok := false
	patience := time.NewTimer(reloadPatience)
	defer patience.Stop()
	select {
	case <-x.done:
		ok = x.ok
	case <-patience.C:
	}
	return &ok
}

func (r *reloading) take() *reload {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.next
	r.next = nil
	return x
}

// run reloads as asked until ctx ends, and once more for what is wanted then.
// A failed reload is tried again after a growing pause.
func (r *reloading) run(ctx context.Context) {
	pause := firstRetry
	retry := time.NewTimer(0)
	retry.Stop()
	defer retry.Stop()
	for done := false; !done; {
		again := false
		select {
		case <-ctx.Done():
			done = true
		case <-r.wake:
			r.gather(ctx)
		case <-retry.C:
			again = true
		}
		x := r.take()
		if x == nil && !again {
			continue
		}
		if r.once(x) {
			pause = firstRetry
			retry.Stop()
			continue
		}
		retry.Reset(pause)
		pause = min(2*pause, longestRetry)
	}
}

// gather lets more changes come together before the next reload of a storm. The
// first one is never held up.
func (r *reloading) gather(ctx context.Context) {
	if time.Since(r.last) > stormOver {
		r.pause = firstPause
		return
	}
	for paused := false; ; paused = true {
		left := r.rest() - time.Since(r.last)
		if left <= 0 || ctx.Err() != nil {
			if paused {
				r.pause = min(2*r.pause, longestPause)
			}
			return
		}
		select {
		case <-time.After(left):
		case <-r.wake: // perhaps somebody waits now
		case <-ctx.Done():
		}
	}
}

// rest is how long after the last reload the next one may come. A few callers
// who wait are not held up: people and scripts that register machines one after
// the other make no storm. Where nobody waits nothing is lost by a pause.
func (r *reloading) rest() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.next == nil:
		return 0
	case r.next.waited == 0:
		return r.pause
	case r.next.asked < fewestOfStorm:
		return 0
	}
	return min(r.pause, waitedPause)
}

// once reloads and answers. A reloader that does not come back in time counts
// as failed; it is left to end by itself. x is nil for a retry.
func (r *reloading) once(x *reload) bool {
	ctx, cancel := context.WithTimeout(context.Background(), reloadPatience)
	defer cancel()
	result := make(chan error, 1)
	go func() { result <- r.reload(ctx) }()
	var err error
	select {
	case err = <-result:
	case <-ctx.Done():
		err = context.DeadlineExceeded
	}
	r.last = time.Now()
	if x != nil {
		x.ok = err == nil
		close(x.done)
	}
	r.told(err)
	return err == nil
}
