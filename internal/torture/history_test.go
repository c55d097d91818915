//go:build integration

package torture

import (
	"slices"
	"sync"
)

// history is what a site was asked and what it promised: for each thing that
// has a state (a worker, a setting, a node) the states it was given, in order.
type history struct {
	mu     sync.Mutex
	things map[string][]deed
	order  []string // of first mention
	acks   []int    // when each change was acknowledged
}

// deed is one change of a thing: asked for when the warden had seen `from`
// steps, acknowledged when it had seen `until`.
type deed struct {
	state       string // absent: gone; unknown: any
	from, until int
	acked       bool
}

const (
	absent  = "absent"
	unknown = "unknown"
)

func newHistory() *history { return &history{things: map[string][]deed{}} }

// begin notes that things may change from now on.
func (h *history) begin(at int, things ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, name := range things {
		if _, known := h.things[name]; !known {
			h.order = append(h.order, name)
		}
		h.things[name] = append(h.things[name], deed{state: unknown, from: at})
	}
}

// end notes the state that a thing was given, for good.
func (h *history) end(at int, thing, state string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	deeds := h.things[thing]
	last := &deeds[len(deeds)-1]
	last.state, last.until, last.acked = state, at, true
}

// initial is the state of a thing at a new site.
func (h *history) initial(thing, state string) {
	h.begin(0, thing)
	h.end(0, thing, state)
}

// last is the state of a thing as last promised.
func (h *history) last(thing string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range slices.Backward(h.things[thing]) {
		if d.acked {
			return d.state
		}
	}
	return absent
}

// allowed are the states that a thing may have after a crash at a step: what
// was acknowledged last, and what was being done.
func (h *history) allowed(thing string, at int) (states []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	states = []string{absent}
	for _, d := range h.things[thing] {
		switch {
		case d.acked && d.until <= at:
			states = []string{d.state}
		case d.from <= at:
			states = append(states, d.state)
		}
	}
	return states
}

// acknowledge notes that a request was answered with success.
func (h *history) acknowledge(at int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.acks = append(h.acks, at)
}

// acknowledged counts the requests that were, by a step.
func (h *history) acknowledged(at int) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range h.acks {
		if a <= at {
			n++
		}
	}
	return n
}

// settle takes what a restart showed as the state of everything that hung.
func (h *history) settle(states map[string]string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, deeds := range h.things {
		state, shown := states[name]
		if !shown {
			state = absent
		}
		if last := deeds[len(deeds)-1]; !last.acked {
			h.things[name] = []deed{{state: state, acked: true}}
		} else {
			h.things[name] = []deed{last}
		}
	}
}
