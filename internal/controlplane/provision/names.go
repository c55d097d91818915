package provision

import (
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// names are the look-ups that a Snapshot and a Tx share, so that a rule is
// written once and checked both before a node is asked and inside the commit.
type names interface {
	Worker(id netboot.WorkerID) (*ledger.Worker, bool)
	Taken(name string) (*ledger.Worker, bool) // by id or host name
	Binding(mac netboot.MAC) (netboot.Hostname, bool)
	MACOf(h netboot.Hostname) (netboot.MAC, bool)
}

// nameFree holds that ids and host names are one name space: neither of the two
// may be another worker's id or host name.
func nameFree(n names, id netboot.WorkerID, host netboot.Hostname) error {
	if w, ok := n.Taken(id.String()); ok {
		if w.ID == id {
			return fault.New(fault.Exists, "worker %s exists", id)
		}
		return fault.New(fault.Exists, "worker id %s is the hostname of worker %s", id, w.ID)
	}
	if w, ok := n.Taken(host.String()); ok {
		if w.Hostname == host {
			return fault.New(fault.Exists, "hostname %s belongs to worker %s", host, w.ID)
		}
		return fault.New(fault.Exists, "hostname %s is the id of another worker", host)
	}
	return nil
}

// macFree holds that a MAC and a host name are bound to each other alone. A
// binding of that very pair is no conflict: a registration that was cut off
// between its two writes can be repeated.
func macFree(n names, mac netboot.MAC, host netboot.Hostname) error {
	if h, ok := n.Binding(mac); ok && h != host {
		return fault.New(fault.Exists, "mac %s is bound to %s", mac, h)
	}
	if m, ok := n.MACOf(host); ok && m != mac {
		return fault.New(fault.Exists, "hostname %s is bound to mac %s", host, m)
	}
	return nil
}

// findWorker is the worker or a fault that names it. A row that cannot be read
// may be looked at and not changed.
func findWorker(n names, id netboot.WorkerID) (*ledger.Worker, error) {
	w, ok := n.Worker(id)
	if !ok {
		return nil, fault.New(fault.NotFound, "worker %s not found", id)
	}
	if w.Broken != "" {
		return nil, fault.New(fault.Unavailable, "worker %s cannot be changed while its row is unreadable: %s", id, w.Broken).
			WithCode("ledger_unreadable")
	}
	return w, nil
}
