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
	ok := err == nil
	for _, g := range waiting {
		g.answerAll(&ok, nil)
	}
	r.told(err)
	return ok
}
