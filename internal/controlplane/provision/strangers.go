package provision

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	"ipxe-all-ready/internal/budget"
	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
)

// strangers bounds what those who need no token can have written: workers in
// the ledgers, lines in the trail, which nothing ever takes lines off, and
// lines in the log.
type strangers struct {
	workers *budget.Budget // by address
	limited *budget.Budget // by address, of notices of that
	trail   *budget.Budget // in all
	log     *budget.Budget // in all

	mu      sync.Mutex
	refused map[netip.Prefix]int // since the last notice
}

const (
	// linesAtOnce is above any fleet whose machines all do something odd on one
	// morning; what comes on top of it is a flood, and a line in ten seconds
	// shows it as well as a million.
	linesAtOnce = 20_000
	lineAgain   = 10 * time.Second
	mostSources = 1 << 16
)

func newStrangers(o Options) *strangers {
	lines := budget.Options{Burst: linesAtOnce, Refill: lineAgain, Now: o.Now}
	s := &strangers{
		limited: budget.New(budget.Options{Burst: 1, Refill: time.Minute, Most: mostSources, Now: o.Now}),
		trail:   budget.New(lines), log: budget.New(lines),
		refused: make(map[netip.Prefix]int),
	}
	if o.RegisterBurst > 0 {
		s.workers = budget.New(budget.Options{Burst: o.RegisterBurst, Refill: o.RegisterRefill, Most: mostSources, Now: o.Now})
	}
	return s
}

// take spends one new machine of an address and is 0, or tells how long it has
// to wait. Each machine of a fleet comes from an address of its own. Whoever
// asks from this very host is past such a guard.
func (s *strangers) take(client string) (wait time.Duration) {
	src := budget.Address(client)
	if src.Addr().IsLoopback() {
		return 0
	}
	return s.workers.Take(src)
}

func (s *strangers) give(client string) {
	if src := budget.Address(client); !src.Addr().IsLoopback() {
		s.workers.Give(src)
	}
}

// notice counts one that had to wait; now and then it says that a line is due,
// and of how many.
func (s *strangers) notice(client string) (due bool, refused int) {
	src := budget.Address(client)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.refused) >= mostSources {
		clear(s.refused)
	}
	s.refused[src]++
	if s.limited.Wait(src) > 0 || s.trail.Take(netip.Prefix{}) > 0 {
		return false, 0
	}
	s.limited.Take(src)
	refused = s.refused[src]
	delete(s.refused, src)
	return true, refused
}

// errLimited is why a machine is not registered whose address brought too many.
var errLimited = fault.New(fault.TooMany, "its address brought as many new machines as IPXE_CP_REGISTER_BURST and IPXE_CP_REGISTER_PER_MINUTE allow")

// reportLimited tells of an address that brings too many machines, once a minute.
func (s *Service) reportLimited(ctx context.Context, client string) {
	s.turnedAway(errLimited)
	due, refused := s.strangers.notice(client)
	if !due {
		return
	}
	s.o.Log.Warn("new machines were not registered", "client", client, "requests", refused, "error", errLimited)
	s.once(ctx, audit.OpRegisterLimited, audit.Fields{Client: client, Extra: map[string]any{"requests": refused}})
}

// reportTurnedAway makes a machine that asks in vain visible, once an hour: it
// asks again every few seconds.
func (s *Service) reportTurnedAway(a Asker, why error) {
	s.turnedAway(why)
	if s.logs("turned away " + a.MAC.String()) {
		s.o.Log.Warn("a new machine was not registered", "mac", a.MAC, "client", a.From.ClientIP(), "error", why)
	}
}

func (s *Service) turnedAway(why error) {
	if s.o.OnTurnedAway != nil {
		s.o.OnTurnedAway(reason(why))
	}
}

// reason is why in a word, for a count.
func reason(why error) string {
	switch {
	case errors.Is(why, errLimited):
		return "limited"
	case errors.Is(why, errFull):
		return "full"
	case errors.Is(why, errOff):
		return "off"
	}
	return fault.CodeOf(why)
}

// reportMismatch audits a machine that claims the name of a worker bound to
// another MAC, once an hour a pair: it asks again at every boot.
func (s *Service) reportMismatch(ctx context.Context, a Asker, w *ledger.Worker) {
	if !s.mismatches.pass(a.MAC.String()+" "+w.Hostname.String()) || s.strangers.trail.Take(netip.Prefix{}) > 0 {
		return
	}
	s.once(ctx, audit.OpIdentityMismatch, audit.Fields{WorkerID: w.ID.String(), Client: a.From.ClientIP(),
		Extra: map[string]any{"mac": a.MAC.String(), "hostname": w.Hostname.String()}})
}

// Guessed audits that tokens are being tried from an address.
func (s *Service) Guessed(client string) {
	if s.strangers.trail.Take(netip.Prefix{}) == 0 {
		s.once(context.Background(), audit.OpTokenGuessed, audit.Fields{Client: client})
	}
}

// logs reports whether a line about what key names is due: one an hour.
func (s *Service) logs(key string) bool {
	return s.nameless.pass(key) && s.strangers.log.Take(netip.Prefix{}) == 0
}
