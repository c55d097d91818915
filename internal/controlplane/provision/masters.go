package provision

import (
	"context"
	"slices"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
)

// NodeMasters are one node's golden images, or why they are not known.
type NodeMasters struct {
	Agent   *ledger.Agent
	Masters []api.Master
	Err     error
}

// Masters asks all enabled nodes with the disk role at once. One that fails is
// its own row's fault; it is an error when every one fails.
func (s *Service) Masters(ctx context.Context) ([]NodeMasters, error) {
	agents := agentsThat(s.snapshot(), func(a *ledger.Agent) bool { return a.Enabled && a.RoleDisk })
	lists, errs := atOnce(s, agents, func(a *ledger.Agent) (api.Masters, error) { return s.o.Folder(a).Masters(ctx) })
	rows := make([]NodeMasters, len(agents))
	for i, a := range agents {
		rows[i] = NodeMasters{a, lists[i].Masters, errs[i]}
	}
	if len(rows) > 0 && !slices.Contains(errs, nil) {
		return nil, fault.New(fault.Upstream, "no agent tells its masters: %s", sentences(errs))
	}
	return rows, nil
}
