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
	stormOver    = 2 * time.Second

	fewestOfStorm = 5 // callers that wait together
)

// reloading tells dnsmasq to read its file, apart from the committer, so that a
// slow one holds up nobody's write. What is asked for while one reload runs is
// done by the next one together.
type reloading struct {
	reload func(context.Context) error // nil: off
	told   func(error)

	mu      sync.Mutex
	waiting []*group
	wanted  bool
	wake    chan struct{}

	last  time.Time     // of run alone: the end of the last reload
	pause time.Duration // of run alone: before the next one of this storm
}

func newReloading(o Options) *reloading {
	return &reloading{reload: o.Reload, told: o.OnReload, wake: make(chan struct{}, 1)}
}

// ask wants a reload after now; g, when not nil, is answered with how it went.
func (r *reloading) ask(g *group) {
	if r.reload == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted = true
	if g != nil {
		r.waiting = append(r.waiting, g)
	}
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// callers is how many requests wait for a reload.
func (r *reloading) callers() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range r.waiting {
		n += len(g.batch)
	}
	return n
}

func (r *reloading) take() (waiting []*group, wanted bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	waiting, wanted = r.waiting, r.wanted
	r.waiting, r.wanted = nil, false
	return waiting, wanted
}

// run reloads as asked until ctx ends, and once more for those who wait then.
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
		waiting, wanted := r.take()
		if !wanted && !again {
			continue
		}
		if r.once(waiting) {
			pause = firstRetry
			retry.Stop()
			continue
		}
		retry.Reset(pause)
		pause = min(2*pause, longestRetry)
	}
}

// gather lets more requests come together before the next reload of a storm.
// The first one is never held up, nor are a few callers: people and scripts that
// register machines one after the other make no storm.
func (r *reloading) gather(ctx context.Context) {
	since := time.Since(r.last)
	if since > stormOver {
		r.pause = firstPause
		return
	}
	if r.callers() < fewestOfStorm {
		return
	}
	select {
	case <-time.After(r.pause - since):
	case <-ctx.Done():
	}
	r.pause = min(2*r.pause, longestPause)
}

// once reloads and answers. A reloader that does not come back in time counts
// as failed; it is left to end by itself.
func (r *reloading) once(waiting []*group) bool {
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
	ok := err == nil
	for _, g := range waiting {
		g.answerAll(&ok, nil)
	}
	r.told(err)
	return ok
}
