package reconcile

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"path"
	"slices"
	"strings"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/dhcphosts"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/netboot"
)

// Node is what one enabled storage node shows.
type Node struct {
	Base    iscsi.Base // what its targets' names start with
	Targets []api.Target
	Fencing api.Fencing // who uses its disks and should not
	Err     error       // it could not be asked
}

// Compare lists what does not agree, by id. It costs one pass over workers,
// bindings and targets.
func Compare(snap *ledger.Snapshot, nodes map[netboot.AgentID]Node) []Finding {
	c := comparison{snap: snap, nodes: nodes, owned: make(map[place]row)}
	c.workers()
	c.bindings()
	for id, n := range nodes {
		c.node(id, n)
	}
	slices.SortFunc(c.out, func(a, b Finding) int { return cmp.Compare(a.ID, b.ID) })
	return c.out
}

// place is a target on a node.
type place struct {
	agent netboot.AgentID
	iqn   string
}

type comparison struct {
	snap  *ledger.Snapshot
	nodes map[netboot.AgentID]Node
	owned map[place]row // targets that the ledger names
	out   []Finding
}

func (c *comparison) add(f Finding, format string, args ...any) {
	f.Detail = fault.ClipWords(fmt.Sprintf(format, args...))
	c.out = append(c.out, f)
}

func (c *comparison) workers() {
	for w := range c.snap.Workers() {
		if w.Broken != "" {
			f := finding(BrokenRow, w.ID.String())
			f.Worker = w.ID
			c.add(f, "the row of worker %s cannot be read: %s", w.ID, w.Broken)
			continue
		}
		if _, bound := c.snap.MACOf(w.Hostname); !bound {
			f := finding(UnboundWorker, w.ID.String())
			f.Worker = w.ID
			c.add(f, "worker %s has no MAC: only a machine that already says the host name %s is taken for it", w.ID, w.Hostname)
		}
		for _, d := range w.Disks {
			c.own(row{w.ID, d.OS, d.Agent, d.IQN, d.Filename.String(), d.Backing})
		}
		if cd := w.CD; cd != nil {
			c.own(row{w.ID, netboot.OS{}, cd.Agent, cd.IQN, cd.ISO.String(), cd.Backing})
		}
	}
}

func (c *comparison) own(r row) {
	at := place{r.agent, r.iqn.String()}
	if first, taken := c.owned[at]; taken {
		c.add(r.finding(SharedTarget), "%s and %s are both target %s on agent %s: two machines would write one disk", first.what(), r.what(), r.iqn, r.agent)
		return
	}
	c.owned[at] = r
	if _, ok := c.snap.Agent(r.agent); !ok {
		c.add(r.finding(UnknownAgent), "%s is on agent %s, which is not in the inventory", r.what(), r.agent)
	}
}

func (c *comparison) bindings() {
	told := make(map[int]bool) // lines that have a finding of a kind of their own
	for mac, host := range c.snap.Bindings() {
		if r, ok := c.snap.Rival(mac); ok {
			c.rival(mac, r)
			told[r.Line] = true
			continue
		}
		if _, ok := c.snap.ByHostname(host); ok {
			continue
		}
		f := finding(OrphanBinding, host.String())
		f.Hostname, f.Fix = host, RemoveBinding
		c.add(f, "mac %s is bound to %s, which no worker is called; a machine with it is registered under that name", mac, host)
	}
	for _, line := range c.snap.Findings() {
		if !told[line.Line] {
			c.add(finding(BadBindingLine, fmt.Sprintf("%d:%08x", line.Line, crc32.ChecksumIEEE([]byte(line.Text)))),
				"line %d of dhcp-hosts.conf is kept and blocks nothing: %s", line.Line, line.Text)
		}
	}
}

func (c *comparison) rival(mac netboot.MAC, r dhcphosts.Rival) {
	f := finding(SharedHostname, mac.String())
	f.Hostname = r.Host
	if w, ok := c.snap.ByHostname(r.Host); ok {
		f.Worker = w.ID
	}
	c.add(f, "mac %s has the host name %s in line %d of dhcp-hosts.conf, which line %d gives to %s: it gets no boot script until it has another name",
		mac, r.Host, r.Line, r.First, r.Owner)
}

func (c *comparison) node(id netboot.AgentID, n Node) {
	if n.Err != nil {
		f := finding(AgentUnreachable, id.String())
		f.Agent = id
		c.add(f, "%s", fault.Sentence(n.Err))
		return
	}
	c.fencing(id, n.Fencing)
	standing := make(map[string]api.Target, len(n.Targets))
	for _, t := range n.Targets {
		standing[t.IQN] = t
		if r, ok := c.owned[place{id, t.IQN}]; ok {
			c.backing(r, t)
			continue
		}
		c.unowned(id, n.Base, t)
	}
	for at, r := range c.owned {
		if _, stands := standing[at.iqn]; at.agent == id && !stands {
			f := r.finding(MissingTarget)
			f.Fix = ExportAgain
			c.add(f, "%s: target %s does not stand on agent %s", r.what(), r.iqn, id)
		}
	}
}

// backing compares what a row's target serves with what the row says.
func (c *comparison) backing(r row, t api.Target) {
	lun, ok := image(t)
	switch {
	case !ok:
		c.add(r.finding(MissingBacking), "%s: target %s on agent %s serves no file", r.what(), t.IQN, r.agent)
	case path.Base(*lun.Backing) != r.file:
		c.add(r.finding(WrongBacking), "%s: target %s on agent %s serves %s and not %s", r.what(), t.IQN, r.agent, *lun.Backing, r.file)
	case lun.Size == 0:
		c.add(r.finding(MissingBacking), "%s: the file %s of target %s is gone from agent %s", r.what(), *lun.Backing, t.IQN, r.agent)
	}
}

// unowned is a target that no row names: left by a change that was cut off, or
// made by somebody else.
func (c *comparison) unowned(id netboot.AgentID, base iscsi.Base, t api.Target) {
	iqn, err := iscsi.ParseIQN(t.IQN)
	lun, served := image(t)
	if err != nil || !base.Holds(iqn) || !served {
		f := finding(ForeignTarget, id.String()+":"+t.IQN)
		f.Agent, f.IQN = id, t.IQN
		c.add(f, "target %s on agent %s is not of our making and is left alone", t.IQN, id)
		return
	}
	f := finding(OrphanTarget, id.String()+":"+t.IQN)
	f.Agent, f.IQN, f.Backing = id, t.IQN, *lun.Backing
	name := strings.TrimPrefix(t.IQN, base.String()+":")
	w, ok := c.namesake(name)
	if ok {
		f.Worker = w.ID
	}
	if os, fits := heir(w, name, f.Backing); ok && fits {
		f.OS, f.Fix = os, AdoptDisk
		c.add(f, "target %s on agent %s is named as the %s disk of worker %s, whose row does not have it", t.IQN, id, os, w.ID)
		return
	}
	if len(t.Sessions) > 0 {
		c.add(f, "target %s on agent %s belongs to no worker and is in use by %s", t.IQN, id, t.Sessions[0].Initiator)
		return
	}
	f.Fix = RemoveTarget
	c.add(f, "target %s on agent %s belongs to no worker", t.IQN, id)
}

// namesake is the worker whose host name a target's name starts with.
func (c *comparison) namesake(name string) (*ledger.Worker, bool) {
	label, _, _ := strings.Cut(name, ".")
	host, err := netboot.ParseHostname(label)
	if err != nil {
		return nil, false
	}
	return c.snap.ByHostname(host)
}

// heir reports whether a target is a disk of w by its name, <hostname>.<os>
// serving <hostname>.<os>.img, of a system that its row has no disk for.
func heir(w *ledger.Worker, name, backing string) (netboot.OS, bool) {
	_, system, found := strings.Cut(name, ".")
	os, err := netboot.ParseOS(system)
	if w == nil || w.Broken != "" || !found || err != nil || path.Base(backing) != name+".img" {
		return netboot.OS{}, false
	}
	_, has := w.Disk(os)
	return os, !has
}

// image is the unit that serves a file, which stgt's controller does not.
func image(t api.Target) (api.LUN, bool) {
	for _, l := range t.LUNs {
		if l.Backing != nil {
			return l, true
		}
	}
	return api.LUN{}, false
}
