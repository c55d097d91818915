package provision

import (
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/netboot"
)

// Asker is what a machine says of itself. What a known machine does not need
// is not worked out: 10,000 of them may ask at once.
type Asker struct {
	MAC   netboot.MAC // zero: it said none, or nothing that parses
	Claim string      // the host name or worker id that it says is its own
	From  Caller
}

// Caller knows the address it asks from, and works it out when it is asked.
type Caller interface{ ClientIP() string }

// NewAsker reads a boot request's words; it cannot fail, as a machine must
// always get a script.
func NewAsker(mac, claim string, from Caller) Asker {
	a := Asker{Claim: claim, From: from}
	a.MAC, _ = netboot.ParseMAC(mac)
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
	if w, ok := snap.Machine(a.MAC); ok && s.o.StrictIdentity {
		return verdict{worker: w}
	}
	host, bound := snap.Binding(a.MAC)
	if bound && s.o.StrictIdentity {
		return boundTo(snap, host)
	}
	claimed := claimedWorker(snap, a.Claim)
	switch {
	case a.MAC.IsZero(), claimed != nil && !s.o.StrictIdentity:
		return verdict{worker: claimed}
	case bound:
		return boundTo(snap, host)
	case claimed == nil:
		return verdict{register: true}
	}
	if _, taken := snap.MACOf(claimed.Hostname); taken {
		return verdict{register: true, mismatch: claimed}
	}
	return verdict{worker: claimed}
}

// boundTo is the machine whose MAC is bound to host.
func boundTo(snap *ledger.Snapshot, host netboot.Hostname) verdict {
	if w, ok := snap.ByHostname(host); ok {
		return verdict{worker: w}
	}
	return verdict{adopt: host}
}

func claimedWorker(snap *ledger.Snapshot, claim string) *ledger.Worker {
	if claim == "" {
		return nil
	}
	if host, err := netboot.ParseHostname(claim); err == nil {
		if w, ok := snap.ByHostname(host); ok {
			return w
		}
	}
	id, err := netboot.ParseWorkerID(claim)
	if err != nil {
		return nil
	}
	w, _ := snap.Worker(id)
	return w
}

// reportRival makes a machine that is nobody visible, once an hour.
func (s *Service) reportRival(snap *ledger.Snapshot, a Asker) {
	r, _ := snap.Rival(a.MAC)
	if s.logs("rival " + a.MAC.String()) {
		s.o.Log.Warn("dhcp-hosts.conf gives this machine a host name that an earlier line gives to another; it gets no boot script",
			"mac", a.MAC, "client", a.From.ClientIP(), "hostname", r.Host, "line", r.Line, "other_mac", r.Owner, "other_line", r.First)
	}
}
