package export

import (
	"strings"

	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/netboot"
)

// ownInitiator is <base>:<hostname> for <base>:<hostname>.<os> and its CD
// <base>:<hostname>.<os>.iso. Any other target, a CD for all for one, has no
// machine of its own: the zero IQN admits everybody.
func ownInitiator(base iscsi.Base, q iscsi.IQN) iscsi.IQN {
	suffix := strings.TrimPrefix(q.String(), base.String()+":")
	host, os, ok := strings.Cut(strings.TrimSuffix(suffix, ".iso"), ".")
	if !ok {
		return iscsi.IQN{}
	}
	h, err := netboot.ParseHostname(host)
	if err != nil {
		return iscsi.IQN{}
	}
	if _, err := netboot.ParseOS(os); err != nil {
		return iscsi.IQN{}
	}
	own, err := base.IQN(h.String())
	if err != nil {
		return iscsi.IQN{}
	}
	return own
}
