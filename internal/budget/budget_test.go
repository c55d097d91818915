package budget

import (
	"fmt"
	"net/netip"
	"testing"
	"time"
)

// clock is a time that a test moves.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func at() *clock { return &clock{time.Date(2026, 7, 1, 8, 0, 0, 0, time.UTC)} }

// takes is how many of n are granted.
func takes(b *Budget, src netip.Prefix, n int) (granted int) {
	for range n {
		if b.Take(src) == 0 {
			granted++
		}
	}
	return granted
}

func TestASourceSpendsItsPurseAndItFillsUpAgain(t *testing.T) {
	c := at()
	b := New(Options{Burst: 3, Refill: 10 * time.Second, Now: c.now})
	one, other := Network("192.0.2.1"), Network("192.0.2.2")
	if got := takes(b, one, 5); got != 3 {
		t.Errorf("%d of 5 were granted", got)
	}
	if got := b.Wait(one); got != 10*time.Second {
		t.Errorf("wait %s", got)
	}
	if got := takes(b, other, 5); got != 3 {
		t.Errorf("another's: %d", got)
	}
	c.t = c.t.Add(4 * time.Second)
	if got := b.Take(one); got != 6*time.Second {
		t.Errorf("4 s later: wait %s", got)
	}
	c.t = c.t.Add(6 * time.Second)
	if got := takes(b, one, 5); got != 1 {
		t.Errorf("10 s later: %d", got)
	}
	c.t = c.t.Add(time.Hour)
	if got := takes(b, one, 5); got != 3 {
		t.Errorf("an hour later: %d; a purse holds no more than its burst", got)
	}
}

func TestWhatWasTakenForNothingIsGivenBack(t *testing.T) {
	c := at()
	b := New(Options{Burst: 1, Refill: time.Minute, Now: c.now})
	src := Address("192.0.2.1")
	for range 5 {
		if b.Take(src) != 0 {
			t.Fatal("spent")
		}
		b.Give(src)
	}
	b.Give(src)
	if got := takes(b, src, 5); got != 1 {
		t.Errorf("%d: giving made a purse larger", got)
	}
}

func TestAFloodOfSourcesTakesABoundedMemory(t *testing.T) {
	c := at()
	b := New(Options{Burst: 2, Refill: time.Minute, Most: 100, Now: c.now})
	granted := 0
	for i := range 1000 {
		granted += takes(b, Address(fmt.Sprintf("10.0.%d.%d", i>>8, i&255)), 2)
	}
	if granted != 202 || len(b.purses) != 100 {
		t.Errorf("%d granted, %d purses; want 100 sources' two each and two shared", granted, len(b.purses))
	}
	c.t = c.t.Add(time.Hour)
	if got := takes(b, Address("10.1.0.1"), 5); got != 2 || len(b.purses) != 1 {
		t.Errorf("an hour later %d granted, %d purses", got, len(b.purses))
	}
}

func TestAnAddressIsASourceAndAnIPv6NetworkIsOne(t *testing.T) {
	for addr, want := range map[string][2]string{
		"192.0.2.1":            {"192.0.2.1/32", "192.0.2.1/32"},
		"::ffff:192.0.2.1":     {"192.0.2.1/32", "192.0.2.1/32"},
		"2001:db8:1:2:3:4:5:6": {"2001:db8:1:2::/64", "2001:db8:1:2:3:4:5:6/128"},
		"fe80::1%eth0":         {"fe80::/64", "fe80::1/128"},
		"no address":           {netip.Prefix{}.String(), netip.Prefix{}.String()},
		"":                     {netip.Prefix{}.String(), netip.Prefix{}.String()},
	} {
		if got := [2]string{Network(addr).String(), Address(addr).String()}; got != want {
			t.Errorf("%q: %v, want %v", addr, got, want)
		}
	}
}

func TestNoBudgetIsNoLimit(t *testing.T) {
	var b *Budget
	if b.Take(netip.Prefix{}) != 0 || b.Wait(netip.Prefix{}) != 0 {
		t.Error("it limits")
	}
	b.Give(netip.Prefix{})
}
