package provision

import (
	"context"

	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/controlplane/reconcile"
	"ipxe-all-ready/internal/netboot"
)

// Reconcile compares ledger, bindings and what the enabled nodes export. All
// nodes are asked at once; one that does not answer is a finding.
func (s *Service) Reconcile(ctx context.Context) []reconcile.Finding {
	// The nodes first: a disk that is entered while they answer is then seen in
	// the ledger, and one that is being made is no orphan to be removed.
	nodes := s.nodes(ctx, s.snapshot())
	found := reconcile.Compare(s.snapshot(), nodes)
	out := found[:0]
	for _, f := range found {
		if !s.underway(f) {
			out = append(out, f)
		}
	}
	return out
}

func (s *Service) nodes(ctx context.Context, snap *ledger.Snapshot) map[netboot.AgentID]reconcile.Node {
	enabled := agentsThat(snap, func(a *ledger.Agent) bool { return a.Enabled })
	nodes, errs := atOnce(s, enabled, func(a *ledger.Agent) (n reconcile.Node, err error) {
		at, err := s.ask(ctx, a)
		if err == nil {
			n.Base = at.base
			n.Targets, err = s.o.Folder(a).Targets(ctx)
		}
		if err != nil {
			return n, err
		}
		if n.Fencing, err = s.fencing(ctx, a); err != nil {
			n.Fencing = s.fences.of(a.ID)
		}
		return n, nil
	})
	out := make(map[netboot.AgentID]reconcile.Node)
	for i, a := range enabled {
		nodes[i].Err = errs[i]
		out[a.ID] = nodes[i]
	}
	return out
}

// underway reports whether f is no more than a change in the making: its
// worker is reserved by another request.
func (s *Service) underway(f reconcile.Finding) bool {
	return (f.Kind == reconcile.MissingTarget || f.Kind == reconcile.OrphanTarget) && s.busy.any(f.Worker)
}
