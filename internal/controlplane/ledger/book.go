package ledger

import (
	"slices"

	"ipxe-all-ready/internal/controlplane/dhcphosts"
	"ipxe-all-ready/internal/netboot"
)

// book is the committer's own copy of everything: what the files say and, while
// a commit is being made, what they will say.
type book struct {
	o       Options
	files   files
	marker  *marker
	running bool // all files were read once: what comes is an edit

	workers  *edit[netboot.WorkerID, *Worker]
	byHost   *edit[netboot.Hostname, *Worker]
	hostOf   *edit[netboot.MAC, netboot.Hostname]
	macOf    *edit[netboot.Hostname, netboot.MAC]
	machines *edit[netboot.MAC, *Worker]
	count    int
	agents   []*Agent
	settings Settings
	unread   bool // the settings were broken at the start: whose names are retired is not known
	retired  map[netboot.Hostname]bool
	numbers  *numbers
	findings []dhcphosts.Finding
	rivals   map[netboot.MAC]dhcphosts.Rival
	order    *order
	shown    *Snapshot // the last one that readers got

	hosts        *dhcphosts.File
	hostsText    []byte // what stands on disk
	workerSheet  *sheet
	agentSheet   *sheet
	settingsText []byte

	// The rows changed since the last snapshot.
	changedWorkers map[netboot.WorkerID]struct{}
	changedNames   map[netboot.Hostname]struct{} // theirs, before and after
	changedAgents  map[netboot.AgentID]struct{}
}

func newBook(o Options) *book {
	b := &book{
		o: o, files: newFiles(o), marker: newMarker(o),
		workers:        index[netboot.WorkerID, *Worker]{}.edit(),
		byHost:         index[netboot.Hostname, *Worker]{}.edit(),
		hostOf:         index[netboot.MAC, netboot.Hostname]{}.edit(),
		macOf:          index[netboot.Hostname, netboot.MAC]{}.edit(),
		machines:       index[netboot.MAC, *Worker]{}.edit(),
		numbers:        newNumbers(),
		order:          &order{},
		hosts:          dhcphosts.Parse(nil),
		workerSheet:    newSheet("workers"),
		agentSheet:     newSheet("agents"),
		changedWorkers: map[netboot.WorkerID]struct{}{},
		changedNames:   map[netboot.Hostname]struct{}{},
		changedAgents:  map[netboot.AgentID]struct{}{},
	}
	b.recount()
	return b
}

// snapshot freezes the book's state for readers.
func (b *book) snapshot() *Snapshot {
	b.seatChanged()
	b.order = b.order.next(b.changedWorkers)
	b.shown = &Snapshot{
		workers: b.workers.freeze(), byHost: b.byHost.freeze(),
		hostOf: b.hostOf.freeze(), macOf: b.macOf.freeze(), machines: b.machines.freeze(),
		agents: b.agents, settings: b.settings, findings: b.findings, rivals: b.rivals, order: b.order,
	}
	return b.shown
}

func (b *book) workerByID(id netboot.WorkerID) (*Worker, bool) {
	return b.workers.get(id)
}

// setWorker puts w, or removes the worker when w is nil, and returns what
// undoes it. The undo restores the host name index as it was, even where two
// workers had one name for a moment.
func (b *book) setWorker(id netboot.WorkerID, w *Worker) (undo func()) {
	old, had := b.workers.get(id)
	var names []netboot.Hostname
	if had {
		names = append(names, old.Hostname)
	}
	if w != nil {
		names = append(names, w.Hostname)
	}
	before := make([]*Worker, len(names))
	for i, h := range names {
		b.changedNames[h] = struct{}{}
		before[i], _ = b.byHost.get(h)
	}
	b.replaceWorker(id, old, w)
	b.workers.put(id, w, w != nil)
	if had && before[0] == old {
		b.byHost.delete(old.Hostname)
	}
	if w != nil && !w.Hostname.IsZero() {
		b.byHost.set(w.Hostname, w)
	}
	return func() {
		b.replaceWorker(id, w, old)
		b.workers.put(id, old, had)
		for i, h := range names {
			b.byHost.put(h, before[i], before[i] != nil)
		}
	}
}

// replaceWorker keeps the numbers that follow from the set of workers.
func (b *book) replaceWorker(id netboot.WorkerID, old, w *Worker) {
	b.changedWorkers[id] = struct{}{}
	for _, x := range []struct {
		w     *Worker
		delta int
	}{{old, -1}, {w, 1}} {
		if x.w != nil {
			b.count += x.delta
			b.numbers.count(x.w.ID.String(), x.delta)
			b.numbers.count(x.w.Hostname.String(), x.delta)
		}
	}
}

// setAgent puts a, or removes the agent when a is nil. The list is copied:
// snapshots share the old one.
func (b *book) setAgent(id netboot.AgentID, a *Agent) {
	b.changedAgents[id] = struct{}{}
	list := slices.DeleteFunc(slices.Clone(b.agents), func(x *Agent) bool { return x.ID == id })
	if a != nil {
		at, _ := slices.BinarySearchFunc(list, a, func(x, y *Agent) int { return naturally(x.ID.String(), y.ID.String()) })
		list = slices.Insert(list, at, a)
	}
	b.agents = list
}

func (b *book) setSettings(s Settings) {
	b.settings = s
	b.retired = make(map[netboot.Hostname]bool, len(s.Retired))
	for _, h := range s.Retired {
		b.retired[h] = true
	}
}

// refreshBindings brings the indexes up to what the hosts file says now.
func (b *book) refreshBindings() {
	macs, hosts := b.hosts.Changed()
	for mac := range macs {
		h, ok := b.hosts.Binding(mac)
		b.hostOf.put(mac, b.spelling(h), ok)
		b.machines.delete(mac)
	}
	for h := range hosts {
		mac, ok := b.hosts.MACOf(h)
		b.macOf.put(h, mac, ok)
		b.seat(h)
	}
	b.findings, b.rivals = b.hosts.Findings(), b.hosts.Rivals()
}

// spelling is h as its worker has it: one text in memory, and the look-up of a
// machine that boots need not compare two.
func (b *book) spelling(h netboot.Hostname) netboot.Hostname {
	if w, ok := b.byHost.get(h); ok {
		return w.Hostname
	}
	return h
}

// takeHosts puts a hosts file read from disk in the place of the present one.
func (b *book) takeHosts(fresh *dhcphosts.File, content []byte) {
	b.hosts, b.hostsText = fresh, content
	b.hostOf = index[netboot.MAC, netboot.Hostname]{}.edit()
	b.macOf = index[netboot.Hostname, netboot.MAC]{}.edit()
	b.hosts.Bindings(func(mac netboot.MAC, h netboot.Hostname) {
		b.hostOf.set(mac, b.spelling(h))
		if first, ok := b.hosts.MACOf(h); ok {
			b.macOf.set(h, first)
		}
	})
	b.seatAll()
	b.findings, b.rivals = b.hosts.Findings(), b.hosts.Rivals()
	b.recount()
}

// takeWorkers does the same with the workers. When they last booted is ours to
// know and stays.
func (b *book) takeWorkers(list []*Worker) {
	was := b.workers
	b.workers = index[netboot.WorkerID, *Worker]{}.edit()
	b.byHost = index[netboot.Hostname, *Worker]{}.edit()
	for _, w := range list {
		if w.Arch == "" && w.Broken == "" {
			w.Arch = b.o.DefaultArch
		}
		old, _ := was.get(w.ID)
		w.life = lifeOf(old)
		b.workers.set(w.ID, w)
		if !w.Hostname.IsZero() {
			b.byHost.set(w.Hostname, w)
		}
	}
	b.seatAll()
	b.count = len(list)
	b.order = &order{}
	b.recount()
}

// recount finds the numbers in use anew.
func (b *book) recount() {
	b.numbers = newNumbers()
	for id, w := range b.workers.all() {
		b.numbers.count(id.String(), 1)
		b.numbers.count(w.Hostname.String(), 1)
	}
	// The closure reads the field: numbers are replaced, the hosts file may stay.
	b.hosts.Watch(func(h netboot.Hostname, delta int) { b.numbers.count(h.String(), delta) })
}

func (b *book) takeAgents(list []*Agent) {
	slices.SortFunc(list, func(x, y *Agent) int { return naturally(x.ID.String(), y.ID.String()) })
	b.agents = list
}

func (s Settings) clone() Settings {
	if s.AutoRegister != nil {
		on := *s.AutoRegister
		s.AutoRegister = &on
	}
	s.Retired = slices.Clip(slices.Clone(s.Retired))
	return s
}

func (a *Agent) clone() *Agent {
	c := *a
	c.Tags = slices.Clone(a.Tags)
	return &c
}
