package ledger

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"ipxe-all-ready/internal/netboot"
)

// order is a snapshot's workers in natural order, worked out when first asked
// for, from the last order that was and the ids changed since.
type order struct {
	mu   sync.Mutex
	list atomic.Pointer[[]*Worker]

	base    []*Worker                     // sorted; nil: sort anew
	changed map[netboot.WorkerID]struct{} // what differs from base
}

// maxChanged is how many changes are merged; past it sorting anew is as cheap.
const maxChanged = 256

// next is the order of a snapshot in which the ids of changed differ too.
func (o *order) next(changed map[netboot.WorkerID]struct{}) *order {
	if len(changed) == 0 {
		return o
	}
	n := &order{base: o.base, changed: maps.Clone(changed)}
	if list := o.list.Load(); list != nil {
		n.base = *list
	} else {
		maps.Copy(n.changed, o.changed)
	}
	if len(n.changed) > maxChanged {
		n.base, n.changed = nil, nil
	}
	return n
}

func (o *order) sorted(workers index[netboot.WorkerID, *Worker]) []*Worker {
	if list := o.list.Load(); list != nil {
		return *list
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if list := o.list.Load(); list != nil {
		return *list
	}
	list := o.merge(workers)
	o.list.Store(&list)
	return list
}

func (o *order) merge(workers index[netboot.WorkerID, *Worker]) []*Worker {
	if o.base == nil {
		all := make([]*Worker, 0, workers.len())
		for _, w := range workers.all() {
			all = append(all, w)
		}
		slices.SortFunc(all, byID)
		return all
	}
	var fresh []*Worker
	for id := range o.changed {
		if w, ok := workers.get(id); ok {
			fresh = append(fresh, w)
		}
	}
	slices.SortFunc(fresh, byID)
	out := make([]*Worker, 0, len(o.base)+len(fresh))
	for _, w := range o.base {
		if _, stale := o.changed[w.ID]; stale {
			continue
		}
		for len(fresh) > 0 && byID(fresh[0], w) < 0 {
			out, fresh = append(out, fresh[0]), fresh[1:]
		}
		out = append(out, w)
	}
	return append(out, fresh...)
}

func byID(a, b *Worker) int { return naturally(a.ID.String(), b.ID.String()) }

// naturally compares runs of digits as numbers: worker-2 before worker-10, and
// worker-2 before worker-02.
func naturally(a, b string) int {
	for i, j := 0, 0; ; {
		if i == len(a) || j == len(b) {
			if c := (len(a) - i) - (len(b) - j); c != 0 {
				return c
			}
			return len(a) - len(b)
		}
		if !isDigit(a[i]) || !isDigit(b[j]) {
			if a[i] != b[j] {
				return int(a[i]) - int(b[j])
			}
			i, j = i+1, j+1
			continue
		}
		m, n := digits(a, i), digits(b, j)
		if c := compareNumbers(a[i:m], b[j:n]); c != 0 {
			return c
		}
		i, j = m, n
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func digits(s string, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}

func compareNumbers(a, b string) int {
	for len(a) > 1 && a[0] == '0' {
		a = a[1:]
	}
	for len(b) > 1 && b[0] == '0' {
		b = b[1:]
	}
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	for i := range len(a) {
		if a[i] != b[i] {
			return int(a[i]) - int(b[i])
		}
	}
	return 0
}
