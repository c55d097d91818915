package provision

import (
	"context"
	"slices"
	"strings"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/netboot"
)

// node is what a node's capabilities tell that its targets are named after.
type node struct {
	id   netboot.AgentID
	base iscsi.Base
	has  bool // what pick looked for
}

func (n node) iqn(suffix string) (iscsi.IQN, error) {
	q, err := n.base.IQN(suffix)
	if err != nil {
		return q, fault.Wrap(fault.Upstream, err, "agent %s: its base iqn %s leaves no valid name for %s", n.id, n.base, suffix)
	}
	return q, nil
}

// ask asks one node for its base IQN.
func (s *Service) ask(ctx context.Context, a *ledger.Agent) (node, error) {
	caps, err := s.o.Dial(a).Capabilities(ctx)
	if err != nil {
		return node{}, err
	}
	s.backends.put(a.ID, caps.Backend)
	base, err := iscsi.ParseBase(caps.BaseIQN)
	if err != nil {
		return node{}, fault.Wrap(fault.Upstream, err, "agent %s: its base iqn is not one: %s", a.ID, fault.Clip(caps.BaseIQN))
	}
	return node{id: a.ID, base: base}, nil
}

// pick takes the healthy enabled node that fits and holds the fewest of our
// disks, ties by id; a node that has what is needed goes before one that has
// not. All are asked at once, so that a hanging one costs its time-out and no
// more.
func (s *Service) pick(ctx context.Context, r role, has func(context.Context, *ledger.Agent) bool) (*ledger.Agent, node, error) {
	snap := s.snapshot()
	candidates := agentsThat(snap, func(a *ledger.Agent) bool { return a.Enabled && r.of(a) })
	if len(candidates) == 0 {
		return nil, node{}, fault.New(fault.Unavailable, "no enabled agent has the %s role", r.name)
	}
	nodes, errs := atOnce(s, candidates, func(a *ledger.Agent) (node, error) {
		n, err := s.ask(ctx, a)
		n.has = err == nil && has(ctx, a)
		return n, err
	})
	best := fittest(candidates, nodes, errs, diskCounts(snap))
	if best < 0 {
		return nil, node{}, fault.New(fault.Unavailable, "no agent with the %s role is healthy: %s", r.name, sentences(errs))
	}
	return candidates[best], nodes[best], nil
}

// fittest is the place of the node to take, -1 without a healthy one.
func fittest(candidates []*ledger.Agent, nodes []node, errs []error, load map[netboot.AgentID]int) int {
	best := -1
	for i, a := range candidates {
		switch {
		case errs[i] != nil:
		case best < 0, nodes[i].has && !nodes[best].has,
			nodes[i].has == nodes[best].has && load[a.ID] < load[candidates[best].ID]:
			best = i
		}
	}
	return best
}

// anything is of a node from which nothing special is needed.
func anything(context.Context, *ledger.Agent) bool { return true }

// hasMaster asks a node for its golden images.
func (s *Service) hasMaster(name image.Name) func(context.Context, *ledger.Agent) bool {
	return func(ctx context.Context, a *ledger.Agent) bool {
		list, err := s.o.Folder(a).Masters(ctx)
		return err == nil && slices.ContainsFunc(list.Masters, func(m api.Master) bool { return m.Name == name.String() })
	}
}

// diskCounts is how many disks of ours each node holds.
func diskCounts(snap *ledger.Snapshot) map[netboot.AgentID]int {
	n := make(map[netboot.AgentID]int)
	for w := range snap.Workers() {
		for _, d := range w.Disks {
			n[d.Agent]++
		}
	}
	return n
}

// named is the node a caller asked for, or a fault that says why it will not do.
func (s *Service) named(ctx context.Context, id netboot.AgentID, r role) (*ledger.Agent, node, error) {
	a, err := usable(s.snapshot(), id, r)
	if err != nil {
		return nil, node{}, err
	}
	n, err := s.ask(ctx, a)
	return a, n, err
}

// usable holds that the node may be given something new.
func usable(in inventory, id netboot.AgentID, r role) (*ledger.Agent, error) {
	a, err := findAgent(in, id)
	if err != nil {
		return nil, err
	}
	if !a.Enabled {
		return nil, fault.New(fault.Invalid, "agent %s is disabled", id)
	}
	return a, r.check(a)
}

func sentences(errs []error) string {
	var out []string
	for _, err := range errs {
		if err != nil {
			out = append(out, fault.Sentence(err))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}
