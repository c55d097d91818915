package provision

import (
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/netboot"
)

// Asker is what a machine says of itself. Zero values are what it did not say
// or what does not parse.
type Asker struct {
	MAC      netboot.MAC
	Hostname netboot.Hostname
	ID       netboot.WorkerID // the claimed host name read as a worker id
	Client   string           // the address it asks from
}

// NewAsker reads a boot request's words; it cannot fail, as a machine must
// always get a script.
func NewAsker(mac, hostname, client string) Asker {
	a := Asker{Client: client}
	a.MAC, _ = netboot.ParseMAC(mac)
	a.Hostname, _ = netboot.ParseHostname(hostname)
	a.ID, _ = netboot.ParseWorkerID(hostname)
	return a
}

// verdict is who asks, or what has to be done to know.
type verdict struct {
	worker   *ledger.Worker   // known
	adopt    netboot.Hostname // the MAC is bound by hand to this name, which the ledger lacks
	register bool             // a new machine
	rival    bool             // the MAC's name is another machine's by an earlier line: nobody
	mismatch *ledger.Worker   // the worker whose name a stranger's MAC claims
}

// identify applies the rules of who is asking. A bound MAC names the machine,
// whatever host name it claims; an unbound MAC is believed its host name only
// while that worker has no MAC, since believing more would let two machines
// write one disk. For the same reason the second machine that a hand-made file
// gives one host name is nobody, and is not registered under another either: a
// person has to say which it is.
func (s *Service) identify(snap *ledger.Snapshot, a Asker) verdict {
	if _, rival := snap.Rival(a.MAC); rival {
		return verdict{rival: true}
	}
	claimed := claimedWorker(snap, a)
	if !s.o.StrictIdentity && claimed != nil {
		return verdict{worker: claimed}
	}
	if a.MAC.IsZero() {
		return verdict{worker: claimed}
	}
	if host, bound := snap.Binding(a.MAC); bound {
		if w, ok := snap.ByHostname(host); ok {
			return verdict{worker: w}
		}
		return verdict{adopt: host}
	}
	if claimed == nil {
		return verdict{register: true}
	}
	if _, taken := snap.MACOf(claimed.Hostname); taken {
		return verdict{register: true, mismatch: claimed}
	}
	return verdict{worker: claimed}
}

func claimedWorker(snap *ledger.Snapshot, a Asker) *ledger.Worker {
	if !a.Hostname.IsZero() {
		if w, ok := snap.ByHostname(a.Hostname); ok {
			return w
		}
	}
	if a.ID.IsZero() {
		return nil
	}
	w, _ := snap.Worker(a.ID)
	return w
}

// reportRival makes a machine that is nobody visible, once an hour.
func (s *Service) reportRival(snap *ledger.Snapshot, a Asker) {
	r, _ := snap.Rival(a.MAC)
	if s.nameless.pass("rival " + a.MAC.String()) {
		s.o.Log.Warn("dhcp-hosts.conf gives this machine a host name that an earlier line gives to another; it gets no boot script",
			"mac", a.MAC, "client", a.Client, "hostname", r.Host, "line", r.Line, "other_mac", r.Owner, "other_line", r.First)
	}
}
