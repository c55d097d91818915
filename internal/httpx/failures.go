package httpx

import (
	"log/slog"
	"maps"
	"net/netip"
	"sync"
	"time"

	"ipxe-all-ready/internal/budget"
)

const (
	guesses    = 20              // wrong tokens of one source in a row
	guessAgain = 3 * time.Second // after these, one more in so long
	trusted    = time.Hour       // since a right token, in which its source is not shut out
	mostKnown  = 10_000          // sources with a right token that are remembered
)

// Failures bounds how fast an address may try tokens: twenty at once, then one
// in three seconds. Beyond that a token is not looked at, so that a right guess
// tells nothing.
//
// Behind one address may be both, a guesser and people with the token. So a
// token that was right from there within the hour is still taken: they are not
// shut out, and only beside them can a guesser go on.
type Failures struct {
	o       FailuresOptions
	wrong   *budget.Budget // by network
	notices *budget.Budget // by network, of Noticed
	all     *budget.Budget // of Noticed, in all

	mu    sync.Mutex
	known map[netip.Prefix]rights
}

// rights is when which token last came from a source.
type rights struct{ full, view time.Time }

// FailuresOptions are what a daemon does about wrong tokens.
type FailuresOptions struct {
	Log *slog.Logger
	Now func() time.Time
	// Noticed hears of an address that is shut out: once in five minutes of
	// each, and of all together once a minute; nil: nobody listens.
	Noticed func(client string)
}

// NewFailures starts with nobody shut out.
func NewFailures(o FailuresOptions) *Failures {
	return &Failures{
		o: o, known: make(map[netip.Prefix]rights),
		wrong:   budget.New(budget.Options{Burst: guesses, Refill: guessAgain, Now: o.Now}),
		notices: budget.New(budget.Options{Burst: 1, Refill: 5 * time.Minute, Now: o.Now}),
		all:     budget.New(budget.Options{Burst: 30, Refill: time.Minute, Now: o.Now}),
	}
}

// guess is judge of a token that was sent. Comparing is quick and done under
// the lock: callers side by side must not have more guesses than one after the
// other.
func (f *Failures) guess(client string, compare func() (bool, bool)) (isFull, isView bool, wait time.Duration) {
	src := budget.Network(client)
	isFull, isView, wait = f.count(src, compare)
	if wait > 0 && f.o.Noticed != nil || wait > 0 && f.o.Log != nil {
		f.notice(src, client)
	}
	return isFull, isView, wait
}

func (f *Failures) count(src netip.Prefix, compare func() (bool, bool)) (isFull, isView bool, wait time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.o.Now()
	was := f.known[src]
	isFull, isView = compare()
	wait = f.wrong.Wait(src)
	switch {
	case wait > 0 && isFull && now.Sub(was.full) < trusted, wait > 0 && isView && now.Sub(was.view) < trusted:
		wait = 0
	case wait > 0:
		return false, false, wait
	case !isFull && !isView:
		f.wrong.Take(src)
		return false, false, 0
	}
	if isFull {
		was.full = now
	}
	if isView {
		was.view = now
	}
	f.remember(src, was, now)
	return isFull, isView, 0
}

func (f *Failures) remember(src netip.Prefix, r rights, now time.Time) {
	if _, there := f.known[src]; !there && len(f.known) >= mostKnown {
		maps.DeleteFunc(f.known, func(_ netip.Prefix, r rights) bool {
			return now.Sub(r.full) >= trusted && now.Sub(r.view) >= trusted
		})
		if len(f.known) >= mostKnown {
			return
		}
	}
	f.known[src] = r
}

func (f *Failures) notice(src netip.Prefix, client string) {
	if f.notices.Take(src) > 0 || f.all.Take(netip.Prefix{}) > 0 {
		return
	}
	if f.o.Log != nil {
		f.o.Log.Warn("wrong tokens are being tried; the address has to wait", "client", client)
	}
	if f.o.Noticed != nil {
		f.o.Noticed(client)
	}
}
