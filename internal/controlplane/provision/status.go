package provision

import (
	"context"
	"maps"
	"slices"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/netboot"
)

// Standing is whether one target of a worker stands.
type Standing struct {
	Agent  netboot.AgentID
	IQN    iscsi.IQN
	Target *api.Target // nil: it does not stand, or Err
	Err    error       // its node could not be asked, so nobody can tell
}

// Status is what the nodes really have of a worker.
type Status struct {
	Worker *ledger.Worker
	Disks  []Standing // in the order of Worker.Disks
	CD     *Standing  // nil without a CD
}

// Status asks a worker's nodes at once, each one time for all its targets.
func (s *Service) Status(ctx context.Context, id netboot.WorkerID) (Status, error) {
	snap := s.snapshot()
	w, ok := snap.Worker(id)
	if !ok {
		return Status{}, fault.New(fault.NotFound, "worker %s not found", id)
	}
	seen := s.look(ctx, snap, nodesOf(w))
	out := Status{Worker: w}
	for _, d := range w.Disks {
		out.Disks = append(out.Disks, seen[d.Agent].standing(d.Agent, d.IQN))
	}
	if w.CD != nil {
		cd := seen[w.CD.Agent].standing(w.CD.Agent, w.CD.IQN)
		out.CD = &cd
	}
	return out, nil
}

// nodesOf are the nodes that hold something of w, each once.
func nodesOf(w *ledger.Worker) map[netboot.AgentID]bool {
	nodes := make(map[netboot.AgentID]bool)
	for _, d := range w.Disks {
		nodes[d.Agent] = true
	}
	if w.CD != nil {
		nodes[w.CD.Agent] = true
	}
	return nodes
}

// sight is what one node shows.
type sight struct {
	targets []api.Target
	err     error
}

func (s *Service) look(ctx context.Context, snap *ledger.Snapshot, nodes map[netboot.AgentID]bool) map[netboot.AgentID]sight {
	ids := slices.Collect(maps.Keys(nodes))
	targets, errs := atOnce(s, ids, func(id netboot.AgentID) ([]api.Target, error) {
		a, ok := snap.Agent(id)
		if !ok {
			return nil, fault.New(fault.NotFound, "agent %s is not in the inventory", id)
		}
		return s.o.Folder(a).Targets(ctx)
	})
	out := make(map[netboot.AgentID]sight)
	for i, id := range ids {
		out[id] = sight{targets[i], errs[i]}
	}
	return out
}

func (v sight) standing(id netboot.AgentID, iqn iscsi.IQN) Standing {
	out := Standing{Agent: id, IQN: iqn, Err: v.err}
	for i, t := range v.targets {
		if t.IQN == iqn.String() {
			out.Target = &v.targets[i]
		}
	}
	return out
}
