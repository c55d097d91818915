package provision

import (
	"context"
	"slices"
	"strconv"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
)

// NodeMasters are one node's golden images, or why they are not known.
type NodeMasters struct {
	Agent   *ledger.Agent
	Masters []api.Master
	Err     error
}

// sift drops what could never be cloned by its name, and says so.
func (n *NodeMasters) sift() {
	var bad []string
	n.Masters = slices.DeleteFunc(n.Masters, func(m api.Master) bool {
		_, err := image.ParseMaster(m.Name)
		if err != nil {
			bad = append(bad, strconv.Quote(fault.Clip(m.Name)))
		}
		return err != nil
	})
	if len(bad) > 0 {
		n.Err = fault.New(fault.Upstream, "agent %s lists what is no master's name: %s", n.Agent.ID, some(bad))
	}
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
	for i := range rows {
		rows[i].sift()
	}
	return rows, nil
}
