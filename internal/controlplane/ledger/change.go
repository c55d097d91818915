package ledger

import (
	"reflect"
	"slices"

	"ipxe-all-ready/internal/netboot"
)

// Change is what one group of commits, or what people edited, changed.
type Change struct {
	Old, New *Snapshot
	Workers  []netboot.WorkerID // rows or bindings that are not as before, in natural order
	Agents   []netboot.AgentID
	Settings bool

	Broken []Fault // files that a person has just broken, or broken otherwise
	Mended []Fault
}

// tell reports what has changed since old. The committer knows which rows it
// changed; after a hand edit all are compared.
func (l *Ledger) tell(old *Snapshot, was []Fault, edited bool) {
	if l.o.OnChange == nil {
		return
	}
	c := Change{Old: old, New: l.Snapshot()}
	if edited {
		c.Workers = c.edited()
	} else {
		c.Workers = c.touched(l.book)
	}
	slices.SortFunc(c.Workers, func(x, y netboot.WorkerID) int { return naturally(x.String(), y.String()) })
	c.Workers = slices.Compact(c.Workers)
	c.agents()
	c.Settings = !reflect.DeepEqual(c.Old.settings, c.New.settings)
	c.faults(was, l.Faults())
	if c.any() {
		l.o.OnChange(c)
	}
}

func (c *Change) any() bool {
	return len(c.Workers)+len(c.Agents)+len(c.Broken)+len(c.Mended) > 0 || c.Settings
}

// touched are the workers of a commit: a function that failed has left its
// rows in the book's list, though they are as before.
func (c *Change) touched(b *book) (ids []netboot.WorkerID) {
	for id := range b.changedWorkers {
		if c.differs(id) {
			ids = append(ids, id)
		}
	}
	_, hosts := b.hosts.Changed()
	for h := range hosts {
		for _, s := range []*Snapshot{c.Old, c.New} {
			if w, ok := s.ByHostname(h); ok && c.differs(w.ID) {
				ids = append(ids, w.ID)
			}
		}
	}
	return ids
}

func (c *Change) edited() (ids []netboot.WorkerID) {
	for id := range c.New.workers.all() {
		if c.differs(id) {
			ids = append(ids, id)
		}
	}
	for id := range c.Old.workers.all() {
		if _, stands := c.New.Worker(id); !stands {
			ids = append(ids, id)
		}
	}
	return ids
}

// differs reports whether a worker, or what it is bound to, is not as before.
func (c *Change) differs(id netboot.WorkerID) bool {
	old, had := c.Old.Worker(id)
	now, has := c.New.Worker(id)
	if had != has || !has {
		return had != has
	}
	// A row of another life has never booted, and what boots write is not compared.
	if old != now && (old.life != now.life || !reflect.DeepEqual(old, now)) {
		return true
	}
	before, was := c.Old.MACOf(old.Hostname)
	after, is := c.New.MACOf(now.Hostname)
	return was != is || before != after
}

func (c *Change) agents() {
	for _, a := range c.New.agents {
		if old, had := c.Old.Agent(a.ID); !had || old != a && !reflect.DeepEqual(old, a) {
			c.Agents = append(c.Agents, a.ID)
		}
	}
	for _, a := range c.Old.agents {
		if _, stands := c.New.Agent(a.ID); !stands {
			c.Agents = append(c.Agents, a.ID)
		}
	}
}

func (c *Change) faults(was, are []Fault) {
	same := func(x Fault) func(Fault) bool {
		return func(y Fault) bool { return x.File == y.File && x.Line == y.Line && x.Text == y.Text }
	}
	for _, f := range are {
		if !slices.ContainsFunc(was, same(f)) {
			c.Broken = append(c.Broken, f)
		}
	}
	for _, f := range was {
		if !slices.ContainsFunc(are, func(x Fault) bool { return x.File == f.File }) {
			c.Mended = append(c.Mended, f)
		}
	}
}
