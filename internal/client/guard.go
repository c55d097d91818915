package client

import (
	"fmt"
	"net/netip"
	"syscall"

	"ipxe-all-ready/internal/iscsi"
)

// forbiddenAddress is an address that no storage node has; see iscsi.NoNode.
type forbiddenAddress struct{ ip netip.Addr }

func (e forbiddenAddress) Error() string {
	return fmt.Sprintf("%s is link-local or a metadata service and no storage node", e.ip)
}

// guard refuses such an address after a name was resolved and before the first
// packet, so that no second answer of a name server slips by a check.
func guard(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err == nil && iscsi.NoNode(a.Addr()) {
		return forbiddenAddress{a.Addr()}
	}
	return err
}
