// Package event owns the stream of what changed, for consoles that watch. It
// keeps the last few thousand events, so that a reader that lost its connection
// goes on where it was. A reader holds nothing in here: one that reads slowly,
// or never, costs the others nothing.
package event

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"
)

// Kind is what changed.
type Kind string

// The kinds of events.
const (
	Worker      Kind = "worker"
	Agent       Kind = "agent"
	Task        Kind = "task"
	Operation   Kind = "operation"
	Settings    Kind = "settings"
	LedgerFault Kind = "ledger_fault"
	// Reset tells a reader to read everything anew: what it missed is no longer known.
	Reset Kind = "reset"
)

// Change is an event's data.
type Change struct {
	Action string `json:"action"` // created, updated, deleted; for a fault: broken, mended
	ID     string `json:"id"`
	Object any    `json:"object,omitempty"`
}

// Event is one line of the stream.
type Event struct {
	ID   string // <start>-<n>
	Kind Kind
	Data []byte // a Change as JSON
}

// Hub is the stream. It is safe for concurrent use.
type Hub struct {
	start string // of this process: ids of another start mean nothing here

	mu      sync.Mutex
	ring    []Event // event n stands at n % len(ring)
	next    uint64  // the number of the next event, from 1
	changed chan struct{}
}

// NewHub keeps the last keep events. start tells this process from earlier
// ones; it must hold no hyphen.
func NewHub(start string, keep int) *Hub {
	return &Hub{start: start, ring: make([]Event, keep), next: 1, changed: make(chan struct{})}
}

// Publish adds an event. A change that cannot be encoded is a fault of ours
// and ends up as a reset, so that no reader shows what is not so.
func (h *Hub) Publish(k Kind, c Change) {
	data, err := json.Marshal(c)
	if err != nil {
		k, data = Reset, []byte(`{"action":"reset","id":""}`)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ring[h.next%uint64(len(h.ring))] = Event{ID: h.id(h.next), Kind: k, Data: data}
	h.next++
	close(h.changed)
	h.changed = make(chan struct{})
}

func (h *Hub) id(n uint64) string { return h.start + "-" + strconv.FormatUint(n, 10) }

// Reader is a place in the stream.
type Reader struct {
	hub   *Hub
	after uint64 // the number of the last event seen
	reset bool   // what came before is lost
}

// Read starts after the event lastID, as a browser sends it in Last-Event-ID;
// "" starts now. An id of another start, or one that is no longer kept, starts
// with a reset.
func (h *Hub) Read(lastID string) *Reader {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := &Reader{hub: h, after: h.next - 1}
	if lastID == "" {
		return r
	}
	start, number, _ := strings.Cut(lastID, "-")
	n, err := strconv.ParseUint(number, 10, 64)
	if start != h.start || err != nil || n >= h.next || !h.kept(n) {
		r.reset = true
		return r
	}
	r.after = n
	return r
}

// kept reports whether every event after n is still in the ring.
func (h *Hub) kept(n uint64) bool { return h.next-1-n <= uint64(len(h.ring)) }

// Next returns what came since the last call. With nothing new, more closes
// when there is.
func (r *Reader) Next() (events []Event, more <-chan struct{}) {
	h := r.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.reset || !h.kept(r.after) {
		r.reset = false
		r.after = h.next - 1
		return []Event{{ID: h.id(r.after), Kind: Reset, Data: []byte(`{"action":"reset","id":""}`)}}, h.changed
	}
	for n := r.after + 1; n < h.next; n++ {
		events = append(events, h.ring[n%uint64(len(h.ring))])
	}
	r.after = h.next - 1
	return events, h.changed
}
