// Package fence owns the watch for the second machine on a disk, which is how
// data dies: who is logged in to one target at the same time, and who asked in
// vain where a target admits its own machine alone. It tells and changes
// nothing; whom a target admits is the business of packages export and target.
package fence

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/iscsi"
)

// Options of a Watch.
type Options struct {
	Base   iscsi.Base // targets of others may have as many initiators as they like
	List   func(context.Context) ([]target.Target, error)
	Linger time.Duration // for which the session of a machine that died may stay listed
	Door   *Door         // where login attempts are seen; nil: nobody is refused
	Log    *slog.Logger
	Now    func() time.Time

	Interval time.Duration // between two looks, at least; zero is five seconds
	// Alarm hears of each rivalry when it begins, Turned of each initiator that
	// was refused and not heard of in the last ten minutes. They must not block.
	Alarm  func(Rivalry)
	Turned func(Refusal)
}

// Rivalry is a disk with more than one machine on it.
type Rivalry struct {
	IQN      string
	Since    time.Time
	Sessions []target.Session
}

// Refusal is an initiator that a disk did not admit.
type Refusal struct {
	IQN       string
	Initiator string
	Address   string
	First     time.Time
	Last      time.Time
	Count     int
}

// Report is what is wrong now.
type Report struct {
	Rivalries []Rivalry // by IQN
	Refusals  []Refusal // of the last ten minutes, by IQN
	// Blind says why refusals cannot be seen; empty: they can, or there are none.
	Blind string
}

// Watch looks at the iSCSI server now and then.
type Watch struct {
	o     Options
	tries map[attempt]int // not judged yet; of Run alone

	mu       sync.Mutex
	disks    map[string]*disk // those with sessions, by IQN
	refusals map[attempt]*Refusal
}

// New makes no look.
func New(o Options) *Watch {
	if o.Interval == 0 {
		o.Interval = 5 * time.Second
	}
	return &Watch{o: o, disks: map[string]*disk{}, refusals: map[attempt]*Refusal{}}
}

// rest is how many times longer the watch rests than a look took: tgtd serves
// no disk while it lists thousands of targets. The longest rest is for a look that
// took long because the host or the server stood still: it must not blind us for
// minutes.
const (
	rest     = 20
	longRest = time.Minute
)

// pause is the time until the next look, after one that took so long.
func (w *Watch) pause(took time.Duration) time.Duration {
	return max(w.o.Interval, min(rest*took, longRest))
}

// Run looks until ctx ends, for the first time when the start is over.
func (w *Watch) Run(ctx context.Context) {
	var group sync.WaitGroup
	defer group.Wait()
	if w.o.Door != nil {
		group.Go(func() { w.o.Door.Run(ctx) })
	}
	for pause := w.o.Interval; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		start := time.Now()
		w.look(ctx)
		pause = w.pause(time.Since(start))
	}
}

// look is one step. A server that does not answer tells nothing new; its
// absence is told by others.
func (w *Watch) look(ctx context.Context) {
	w.knocks() // before the listing, which then has the target that was wanted
	targets, err := w.o.List(ctx)
	if err != nil {
		return
	}
	now := w.o.Now()
	alarms := w.sessions(targets, now)
	for _, r := range alarms {
		w.o.Alarm(r)
	}
	for _, r := range w.refused(targets, w.tries, now) {
		w.o.Turned(r)
	}
	w.tries = nil
}

// knocks adds who tried to log in to those that could not be judged yet.
func (w *Watch) knocks() {
	if w.o.Door == nil {
		return
	}
	for a, n := range w.o.Door.Take() {
		if w.tries == nil {
			w.tries = map[attempt]int{}
		}
		if _, known := w.tries[a]; known || len(w.tries) < maxTries {
			w.tries[a] += n
		}
	}
}

// sessions takes in who is logged in, and gives the rivalries that are new.
func (w *Watch) sessions(targets []target.Target, now time.Time) (alarms []Rivalry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := make(map[string]bool)
	for _, t := range targets {
		if !w.guarded(t) {
			continue
		}
		d := w.disks[t.Name]
		if d == nil {
			if len(t.Sessions) == 0 {
				continue
			}
			d = &disk{parties: map[string]*party{}}
			w.disks[t.Name] = d
		}
		seen[t.Name] = true
		was := d.rivalry
		d.see(t.Sessions, now, w.o.Linger)
		switch {
		case was.IsZero() && !d.rivalry.IsZero():
			alarms = append(alarms, Rivalry{t.Name, d.rivalry, d.sessions()})
		case !was.IsZero() && d.rivalry.IsZero():
			w.o.Log.Info("one machine is alone on its disk again", "iqn", t.Name)
		}
		if len(d.parties) == 0 {
			delete(w.disks, t.Name)
		}
	}
	maps.DeleteFunc(w.disks, func(iqn string, _ *disk) bool { return !seen[iqn] })
	return alarms
}

// guarded are our disks. A CD cannot be written, and one may serve many.
func (w *Watch) guarded(t target.Target) bool {
	l, ok := t.Image()
	return ok && l.Type != target.TypeCD && strings.HasPrefix(t.Name, w.o.Base.String()+":")
}

// Report tells what is wrong now. It asks nobody.
func (w *Watch) Report() Report {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out Report
	for _, iqn := range slices.Sorted(maps.Keys(w.disks)) {
		if d := w.disks[iqn]; !d.rivalry.IsZero() {
			out.Rivalries = append(out.Rivalries, Rivalry{iqn, d.rivalry, d.sessions()})
		}
	}
	now := w.o.Now()
	for _, r := range w.refusals {
		if now.Sub(r.Last) < remembered {
			out.Refusals = append(out.Refusals, *r)
		}
	}
	slices.SortFunc(out.Refusals, byName)
	if w.o.Door != nil {
		out.Blind = w.o.Door.Blind()
	}
	return out
}
