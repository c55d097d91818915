package stgt

import "ipxe-all-ready/internal/agent/target"

// view is what one show said, with the ids given out since.
type view struct {
	byName map[string]target.Target
	used   map[int]bool
	next   int // no id below is free
}

func newView(targets []target.Target) *view {
	v := &view{byName: make(map[string]target.Target, len(targets)), used: make(map[int]bool, len(targets)), next: 1}
	for _, t := range targets {
		v.byName[t.Name] = t
		v.used[t.TID] = true
	}
	return v
}

// lease is the ids that one Ensure has taken. They are held until it ends: the
// views of calls beside it are older than its targets. Ids that others give out
// by hand in that moment are met by a retry.
type lease struct {
	b   *Backend
	ids []int
}

// take reserves the lowest id that neither tgtd shows nor another call holds.
func (l *lease) take(v *view) int {
	l.b.mu.Lock()
	defer l.b.mu.Unlock()
	for v.used[v.next] || l.b.taken[v.next] {
		v.next++
	}
	l.b.taken[v.next] = true
	l.ids = append(l.ids, v.next)
	return v.next
}

func (l *lease) release() {
	l.b.mu.Lock()
	defer l.b.mu.Unlock()
	for _, id := range l.ids {
		delete(l.b.taken, id)
	}
}
