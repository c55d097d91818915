package provision

import (
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// role is what the inventory lets a node hold.
type role struct {
	name string
	of   func(*ledger.Agent) bool
}

var (
	diskRole = role{"disk", func(a *ledger.Agent) bool { return a.RoleDisk }}
	cdRole   = role{"cd", func(a *ledger.Agent) bool { return a.RoleCD }}
)

func (r role) check(a *ledger.Agent) error {
	if !r.of(a) {
		return fault.New(fault.Invalid, "agent %s is not configured for %s role", a.ID, r.name)
	}
	return nil
}

// inventory is the look-up that a Snapshot and a Tx share.
type inventory interface {
	Agent(id netboot.AgentID) (*ledger.Agent, bool)
}

// findAgent is the node or a fault that names it.
func findAgent(in inventory, id netboot.AgentID) (*ledger.Agent, error) {
	a, ok := in.Agent(id)
	if !ok {
		return nil, fault.New(fault.NotFound, "agent %s not found", id)
	}
	return a, nil
}

// listed holds, inside the commit that enters a target, that its node was not
// deleted from the inventory while it worked.
func listed(in inventory, id netboot.AgentID) error {
	if _, ok := in.Agent(id); !ok {
		return fault.New(fault.Conflict, "agent %s left the inventory meanwhile", id)
	}
	return nil
}
