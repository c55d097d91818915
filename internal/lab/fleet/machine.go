package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"time"
)

// Pauses of deploy/tftp, which TestTheMachinesWaitAsTheScriptsDo holds against it.
const (
	askTimeout   = 20 * time.Second // chain --timeout
	firstPause   = 2 * time.Second  // cp-pause
	pauseStep    = 4 * time.Second
	longestPause = 30 * time.Second
)

// machine is one without a disk of its own.
type machine struct {
	mac     string
	address net.IP // it asks from
	name    atomic.Pointer[string]
}

// MAC is that of a fleet's i-th machine; i is below four millions.
func MAC(i int) string {
	return fmt.Sprintf("52:54:00:%02x:%02x:%02x", byte(i>>16), byte(i>>8), byte(i))
}

func newMachine(i int) *machine {
	return &machine{mac: MAC(i), address: net.IPv4(127, 64+byte(i>>16), byte(i>>8), byte(i))}
}

// live is a machine from power on to the end of ctx: it starts over whenever it
// reboots. named is called when the control plane told its name first.
func (m *machine) live(ctx context.Context, c *Crowd, named func()) {
	powered := time.Now()
	for first := true; ; first = false {
		s, ok := m.boot(ctx, c)
		if !ok {
			return
		}
		if s.hostname != "" && first {
			c.Tally.Named.Add(time.Since(powered))
			named()
		}
		if s.hostname == "" {
			first = true // boot.ipxe.cfg goes on to the menu, which reboots
		}
		run := s.timeout
		if s.root != "" {
			run += around(c.Run)
		}
		if !pause(ctx, run) || !pause(ctx, around(c.Firmware)) {
			return
		}
	}
}

// boot asks until there is an answer; false is the end of ctx.
func (m *machine) boot(ctx context.Context, c *Crowd) (script, bool) {
	hostname := c.Hostname(m.mac)
	for wait := firstPause; ; wait = min(wait+pauseStep, longestPause) {
		start := time.Now()
		s, err := c.ask(ctx, m, hostname)
		if ctx.Err() != nil {
			return s, false
		}
		if err == nil {
			c.Tally.Asked.Add(time.Since(start))
			m.check(c, s)
			return s, true
		}
		c.Tally.Fault(kindOf(err), m.mac+": "+err.Error())
		if !pause(ctx, wait) {
			return s, false
		}
	}
}

// check notes what must not happen to a machine that was answered.
func (m *machine) check(c *Crowd, s script) {
	if s.hostname == "" {
		c.Tally.Fault("an empty script", m.mac)
		return
	}
	old := m.name.Swap(&s.hostname)
	switch {
	case old == nil:
		if other := c.claim(s.hostname, m.mac); other != m.mac {
			c.Tally.Fault("a name given twice", fmt.Sprintf("%s: %s and %s", s.hostname, other, m.mac))
		}
	case *old != s.hostname:
		c.Tally.Fault("another name than before", fmt.Sprintf("%s: %s, now %s", m.mac, *old, s.hostname))
	}
}

// pause is false when ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// around is a time between half of d and one and a half of it.
func around(d time.Duration) time.Duration {
	return d/2 + time.Duration(rand.Float64()*float64(d))
}
