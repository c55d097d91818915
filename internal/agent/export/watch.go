package export

import (
	"context"
	"fmt"
	"time"

	"ipxe-all-ready/internal/fault"
)

// Watcher brings the targets in line at the start and whenever the server or
// the folder is another one than before: tgtd restarted and forgot everything,
// the file system was mounted late. What the server refused, or did not see
// through for a request, is tried again, at first soon and then once a minute.
type Watcher struct {
	Service  *Service
	Interval time.Duration
	// Scanned hears of each scan that changed or failed something, and of the first.
	Scanned func(context.Context, Scanned)
	// State hears when the sentence of what is wrong changes; empty: all is well.
	State func(sentence string)

	life   string // of the server, as last seen
	opened int    // which opening of the folder
	known  bool   // that very server has been given that very folder's targets
	said   string

	told  string        // the last scan, as Scanned heard of it
	pause time.Duration // before what was refused is tried again
	again time.Time     // when; zero: nothing was refused
}

// lastPause is the longest between two scans of what is refused.
const lastPause = time.Minute

// Run watches until ctx ends.
func (w *Watcher) Run(ctx context.Context) {
	tick := time.NewTicker(w.Interval)
	defer tick.Stop()
	for {
		w.step(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (w *Watcher) step(ctx context.Context) {
	err := w.look(ctx)
	if ctx.Err() != nil {
		return
	}
	sentence := ""
	if err != nil {
		sentence = fault.Sentence(err)
		if fault.As(err) == nil {
			sentence = err.Error() // it stays in our own log
		}
	}
	if sentence != w.said {
		w.said = sentence
		w.State(sentence)
	}
}

// look scans when there is cause to. A failed scan is done again at the next tick.
func (w *Watcher) look(ctx context.Context) error {
	opened, err := w.Service.o.Store.Attach()
	if err != nil {
		w.known = false // another folder may come in its place
		return err
	}
	life, err := w.Service.o.Backend.Ping(ctx)
	if err != nil {
		w.known = false // it may come back empty under the same name
		return err
	}
	if w.life != "" && life != w.life {
		w.Service.o.Observer.Restart()
		w.known = false
	}
	w.life = life
	w.Service.served.alive(life)
	if w.Service.owed.Swap(false) {
		w.pause, w.again = 0, time.Now()
	}
	if opened != w.opened {
		w.known = false
	}
	if w.known && (w.again.IsZero() || time.Now().Before(w.again)) {
		return nil
	}
	return w.scan(ctx, opened)
}

func (w *Watcher) scan(ctx context.Context, opened int) error {
	anew := !w.known
	w.known = false
	done, err := w.Service.rescan(ctx)
	if err != nil {
		return err
	}
	w.opened, w.known = opened, true
	w.again = time.Time{}
	if done.refused {
		w.pause = min(max(2*w.pause, w.Interval), lastPause)
		w.again = time.Now().Add(w.pause)
	}
	told := fmt.Sprint(done.Failed)
	if anew || len(done.Created) > 0 || told != w.told {
		w.told = told
		w.Scanned(ctx, done)
	}
	return nil
}
