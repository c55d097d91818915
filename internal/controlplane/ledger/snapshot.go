package ledger

import (
	"iter"
	"maps"
	"slices"
	"time"

	"ipxe-all-ready/internal/controlplane/dhcphosts"
	"ipxe-all-ready/internal/netboot"
)

// Snapshot is all files at one moment. Everything it returns is shared: change
// a copy (Worker.Clone).
type Snapshot struct {
	workers  index[netboot.WorkerID, *Worker]
	byHost   index[netboot.Hostname, *Worker]
	hostOf   index[netboot.MAC, netboot.Hostname]
	macOf    index[netboot.Hostname, netboot.MAC]
	machines index[netboot.MAC, *Worker]
	agents   []*Agent // natural order
	settings Settings
	findings []dhcphosts.Finding
	rivals   map[netboot.MAC]dhcphosts.Rival
	order    *order
}

// Worker finds a worker by its id.
func (s *Snapshot) Worker(id netboot.WorkerID) (*Worker, bool) {
	return s.workers.get(id)
}

// ByHostname finds a worker by its host name.
func (s *Snapshot) ByHostname(h netboot.Hostname) (*Worker, bool) { return s.byHost.get(h) }

// ByMAC finds what dhcp-hosts.conf binds mac to. ok says that there is a
// binding; the worker is nil where the ledger lacks that host name.
func (s *Snapshot) ByMAC(mac netboot.MAC) (w *Worker, h netboot.Hostname, ok bool) {
	if h, ok = s.hostOf.get(mac); ok {
		w, _ = s.byHost.get(h)
	}
	return w, h, ok
}

// Machine is ByMAC at half the cost for nearly every machine: those with one
// address. Where it knows none, ByMAC may.
func (s *Snapshot) Machine(mac netboot.MAC) (*Worker, bool) { return s.machines.get(mac) }

// Taken finds the worker whose id or host name is name: both are one name space.
func (s *Snapshot) Taken(name string) (*Worker, bool) {
	return taken(name, s.Worker, s.ByHostname)
}

// Binding is the host name that mac is bound to.
func (s *Snapshot) Binding(mac netboot.MAC) (netboot.Hostname, bool) { return s.hostOf.get(mac) }

// MACOf is the address bound to h; that of the first line where a hand-made file binds several.
func (s *Snapshot) MACOf(h netboot.Hostname) (netboot.MAC, bool) { return s.macOf.get(h) }

// Bindings walks all bindings, in no order.
func (s *Snapshot) Bindings() iter.Seq2[netboot.MAC, netboot.Hostname] { return s.hostOf.all() }

// Workers walks all workers, broken rows included, in natural order of their
// ids: worker-2 before worker-10.
func (s *Snapshot) Workers() iter.Seq[*Worker] { return slices.Values(s.order.sorted(s.workers)) }

// Len is the number of workers.
func (s *Snapshot) Len() int { return s.workers.len() }

// LastBoot is when worker id last asked for its boot script.
func (s *Snapshot) LastBoot(id netboot.WorkerID) (time.Time, bool) {
	w, ok := s.workers.get(id)
	if !ok || w.life.booted.Load() == 0 {
		return time.Time{}, false
	}
	return time.Unix(0, w.life.booted.Load()).UTC().Truncate(time.Second), true
}

// Agent finds a storage node by its id.
func (s *Snapshot) Agent(id netboot.AgentID) (*Agent, bool) { return findAgent(s.agents, id) }

// Agents lists all storage nodes in natural order of their ids.
func (s *Snapshot) Agents() []*Agent { return slices.Clip(s.agents) }

// Settings is what settings.json says.
func (s *Snapshot) Settings() Settings { return s.settings }

// Rival says that another machine has mac's host name too, by an earlier line:
// mac is served nothing, as both would write one disk.
func (s *Snapshot) Rival(mac netboot.MAC) (dhcphosts.Rival, bool) {
	r, ok := s.rivals[mac]
	return r, ok
}

// Rivals walks them all, in no order.
func (s *Snapshot) Rivals() iter.Seq2[netboot.MAC, dhcphosts.Rival] { return maps.All(s.rivals) }

// Findings lists the lines of dhcp-hosts.conf that dnsmasq skips or reads
// otherwise than they look.
func (s *Snapshot) Findings() []dhcphosts.Finding { return s.findings }

func findAgent(agents []*Agent, id netboot.AgentID) (*Agent, bool) {
	for _, a := range agents {
		if a.ID == id {
			return a, true
		}
	}
	return nil, false
}

func taken(name string, byID func(netboot.WorkerID) (*Worker, bool), byHost func(netboot.Hostname) (*Worker, bool)) (*Worker, bool) {
	if id, err := netboot.ParseWorkerID(name); err == nil {
		if w, ok := byID(id); ok {
			return w, true
		}
	}
	h, err := netboot.ParseHostname(name)
	if err != nil {
		return nil, false
	}
	return byHost(h)
}
