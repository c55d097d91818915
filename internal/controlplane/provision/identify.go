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
	mismatch *ledger.Worker   // the worker whose name a stranger's MAC claims
}

// identify applies the rules of who is asking. A bound MAC names the machine,
// whatever host name it claims; an unbound MAC is believed its host name only
// while that worker has no MAC, since believing more would let two machines
// write one disk.
func (s *Service) identify(snap *ledger.Snapshot, a Asker) verdict {
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
