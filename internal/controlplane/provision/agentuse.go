package provision

import (
	"iter"
	"slices"

	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// fleet is all workers, of a Snapshot or a Tx.
type fleet interface {
	Workers() iter.Seq[*ledger.Worker]
}

// agentIdle holds that no worker's disk or CD is on a node. A row that cannot
// be read may name it, so nothing is known while there is one.
func agentIdle(f fleet, id netboot.AgentID) error {
	var on, unread []string
	for w := range f.Workers() {
		switch {
		case w.Broken != "":
			unread = append(unread, w.ID.String())
		case w.On(id):
			on = append(on, w.ID.String())
		}
	}
	slices.Sort(on)
	slices.Sort(unread)
	switch {
	case len(on) > 0:
		return fault.New(fault.Conflict, "agent %s holds a disk or CD of %s", id, some(on))
	case len(unread) > 0:
		return fault.New(fault.Unavailable, "nobody can tell whether agent %s is free while rows are unreadable: worker %s", id, some(unread)).
			WithCode("ledger_unreadable")
	}
	return nil
}
