package ledger

import (
	"iter"
	"reflect"
	"slices"

	"ipxe-all-ready/internal/netboot"
)

// Tx is the ledger as one Commit function sees and changes it. Reads see the
// changes of the functions before it in the same group and its own. It ends
// with the function and is not safe for other goroutines.
type Tx struct {
	b     *book
	undo  []func() // newest last
	files touched  // the files that this function changed
	named bool     // it asked for a name
}

// touched says which files a change concerns.
type touched struct{ workers, agents, settings, hosts bool }

// Worker finds a worker by its id.
func (t *Tx) Worker(id netboot.WorkerID) (*Worker, bool) {
	return t.b.workers.get(id)
}

// ByHostname finds a worker by its host name.
func (t *Tx) ByHostname(h netboot.Hostname) (*Worker, bool) { return t.b.byHost.get(h) }

// ByMAC finds what mac is bound to, as Snapshot.ByMAC does.
func (t *Tx) ByMAC(mac netboot.MAC) (w *Worker, h netboot.Hostname, ok bool) {
	if h, ok = t.Binding(mac); ok {
		w, _ = t.ByHostname(h)
	}
	return w, h, ok
}

// Taken finds the worker whose id or host name is name.
func (t *Tx) Taken(name string) (*Worker, bool) { return taken(name, t.Worker, t.ByHostname) }

// Binding is the host name that mac is bound to.
func (t *Tx) Binding(mac netboot.MAC) (netboot.Hostname, bool) { return t.b.hosts.Binding(mac) }

// MACOf is the address bound to h.
func (t *Tx) MACOf(h netboot.Hostname) (netboot.MAC, bool) { return t.b.hosts.MACOf(h) }

// Workers walks all workers in no order.
func (t *Tx) Workers() iter.Seq[*Worker] {
	return func(yield func(*Worker) bool) {
		for _, w := range t.b.workers.all() {
			if !yield(w) {
				return
			}
		}
	}
}

// Len is the number of workers.
func (t *Tx) Len() int { return t.b.count }

// Agent finds a storage node by its id.
func (t *Tx) Agent(id netboot.AgentID) (*Agent, bool) { return findAgent(t.b.agents, id) }

// Agents lists all storage nodes in natural order.
func (t *Tx) Agents() []*Agent { return slices.Clip(t.b.agents) }

// Settings is what settings.json says.
func (t *Tx) Settings() Settings { return t.b.settings }

// PutWorker adds w or replaces the worker of its id. A copy is kept. Whether id
// and host name are free is the caller's to check.
func (t *Tx) PutWorker(w *Worker) {
	old, had := t.Worker(w.ID)
	w = w.Clone()
	w.life = lifeOf(old)
	if had && reflect.DeepEqual(old, w) {
		return
	}
	t.files.workers = true
	t.undo = append(t.undo, t.b.setWorker(w.ID, w))
}

// DeleteWorker removes the worker id; false when there is none.
func (t *Tx) DeleteWorker(id netboot.WorkerID) bool {
	if _, had := t.Worker(id); !had {
		return false
	}
	t.files.workers = true
	t.undo = append(t.undo, t.b.setWorker(id, nil))
	return true
}

// Bind gives mac the host name h and takes h from the address it was bound to;
// false when it was so already. Whether mac belongs to another host name is the
// caller's to check: Bind takes it away from that one.
func (t *Tx) Bind(mac netboot.MAC, h netboot.Hostname) bool {
	return t.editHosts(func() bool { return t.b.hosts.Bind(mac, h) })
}

// Unbind takes h away from every address bound to it; false when there was none.
func (t *Tx) Unbind(h netboot.Hostname) bool {
	return t.editHosts(func() bool { return t.b.hosts.Unbind(h) })
}

func (t *Tx) editHosts(change func() bool) bool {
	mark := t.b.hosts.Mark()
	if !change() {
		return false
	}
	t.files.hosts = true
	t.undo = append(t.undo, func() { t.b.hosts.Rollback(mark) })
	return true
}

// PutSettings replaces the settings.
func (t *Tx) PutSettings(s Settings) {
	old := t.b.settings
	if reflect.DeepEqual(old, s) {
		return
	}
	t.files.settings = true
	t.b.setSettings(s.clone())
	t.undo = append(t.undo, func() { t.b.setSettings(old) })
}

// PutAgent adds a or replaces the agent of its id. A token equal to the stored
// one is written as it stood, ${ENV} unexpanded.
func (t *Tx) PutAgent(a *Agent) {
	old, had := t.Agent(a.ID)
	c := a.clone()
	c.rawToken = "" // of the agent it was copied from, perhaps
	if had && c.Token == old.Token {
		c.rawToken = old.rawToken
	}
	if had && reflect.DeepEqual(old, c) {
		return
	}
	t.files.agents = true
	t.b.setAgent(a.ID, c)
	t.undo = append(t.undo, func() { t.b.setAgent(a.ID, old) })
}

// DeleteAgent removes the agent id; false when there is none.
func (t *Tx) DeleteAgent(id netboot.AgentID) bool {
	old, had := t.Agent(id)
	if !had {
		return false
	}
	t.files.agents = true
	t.b.setAgent(id, nil)
	t.undo = append(t.undo, func() { t.b.setAgent(id, old) })
	return true
}

// NextName is the name of the next machine that registers itself: worker-NN,
// two digits at least, one above the highest number of up to nine digits in
// ids, host names and bindings, and neither retired nor taken. It reserves
// nothing: a second call gives the same name until a worker or binding has it.
//
// While it is not known which names are retired, a change that asked for a name
// is refused: a new machine must not meet an old disk.
func (t *Tx) NextName() netboot.Hostname {
	t.named = true
	return t.b.nextName()
}

func (t *Tx) rollback() {
	for _, u := range slices.Backward(t.undo) {
		u()
	}
	t.undo = nil
}
