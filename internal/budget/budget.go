// Package budget owns how often one source may do a thing: each has a purse
// that is full at first and fills up again with time. What strangers do costs
// it a bounded memory, however many addresses they come from.
package budget

import (
	"maps"
	"net/netip"
	"sync"
	"time"
)

// Options of a Budget.
type Options struct {
	Burst  int           // what a full purse holds, at least 1
	Refill time.Duration // in which one comes back
	Most   int           // purses held; sources on top of these share one; 0 is 10,000
	Now    func() time.Time
}

// Budget is safe for concurrent use. A nil one is without limit.
type Budget struct {
	o      Options
	mu     sync.Mutex
	purses map[netip.Prefix]purse
	shared purse     // of the sources that found no place
	swept  time.Time // when full purses were last dropped
}

// purse holds less than Burst; one that is not there is full.
type purse struct {
	spent float64   // at the time of
	at    time.Time // the last change
}

// New makes a budget whose purses are full.
func New(o Options) *Budget {
	if o.Most <= 0 {
		o.Most = 10_000
	}
	return &Budget{o: o, purses: make(map[netip.Prefix]purse)}
}

// Take spends one of src's and is 0, or spends nothing and tells when there
// will be one.
func (b *Budget) Take(src netip.Prefix) (wait time.Duration) {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if wait = b.wait(src); wait == 0 {
		b.spend(src, 1)
	}
	return wait
}

// Wait is Take that spends nothing.
func (b *Budget) Wait(src netip.Prefix) time.Duration {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.wait(src)
}

// Give puts back one that was taken for nothing.
func (b *Budget) Give(src netip.Prefix) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spend(src, -1)
}

func (b *Budget) wait(src netip.Prefix) time.Duration {
	over := b.spent(src, b.o.Now()) + 1 - float64(b.o.Burst)
	if over <= 0 {
		return 0
	}
	return max(1, time.Duration(over*float64(b.o.Refill)))
}

func (b *Budget) spent(src netip.Prefix, now time.Time) float64 {
	p, ok := b.purses[src]
	if !ok && b.full() {
		p = b.shared
	}
	return b.left(p, now)
}

// left is what is still spent of a purse by now.
func (b *Budget) left(p purse, now time.Time) float64 {
	return max(0, p.spent-float64(now.Sub(p.at))/float64(b.o.Refill))
}

func (b *Budget) full() bool { return len(b.purses) >= b.o.Most }

func (b *Budget) spend(src netip.Prefix, n float64) {
	now := b.o.Now()
	if _, known := b.purses[src]; !known && b.full() && now.Sub(b.swept) > time.Second {
		b.swept = now
		maps.DeleteFunc(b.purses, func(_ netip.Prefix, p purse) bool { return b.left(p, now) == 0 })
	}
	p := purse{spent: max(0, b.spent(src, now)+n), at: now}
	if _, known := b.purses[src]; !known && b.full() {
		b.shared = p
		return
	}
	b.purses[src] = p
}
