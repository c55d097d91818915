package target

import (
	"strings"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
)

// InUse refuses to touch a target with sessions and names who holds them.
func InUse(iqn iscsi.IQN, initiators []string) error {
	if len(initiators) == 0 {
		return fault.New(fault.InUse, "target %s is in use", iqn)
	}
	return fault.New(fault.InUse, "target %s is in use by %s", iqn, strings.Join(initiators, ", "))
}

// OtherBacking refuses an export whose IQN already serves something else.
func OtherBacking(e Export, standing string) error {
	return fault.New(fault.Exists, "target %s already stands and serves %s, not %s", e.IQN, standing, e.Backing)
}
