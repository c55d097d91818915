package provision

import (
	"context"
	"sync"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
)

// LiveAgent is one node of the inventory and what it answers now.
type LiveAgent struct {
	Agent        *ledger.Agent
	Health       string // ok, unreachable, unauthorized, disabled; "" when not asked
	Capabilities *api.Capabilities
	Error        string
}

// Agents lists the inventory; live asks all enabled nodes at once, each
// bounded by its own time-out.
func (s *Service) Agents(ctx context.Context, live bool) []LiveAgent {
	agents := s.snapshot().Agents()
	out := make([]LiveAgent, len(agents))
	var wg sync.WaitGroup
	for i, a := range agents {
		out[i].Agent = a
		switch {
		case !live:
		case !a.Enabled:
			out[i].Health = "disabled"
		default:
			wg.Go(func() { out[i] = s.liveAgent(ctx, a) })
		}
	}
	wg.Wait()
	return out
}

func (s *Service) liveAgent(ctx context.Context, a *ledger.Agent) LiveAgent {
	out := LiveAgent{Agent: a, Health: "ok"}
	node := s.o.Dial(a)
	if err := node.Health(ctx); err != nil {
		out.Health, out.Error = "unreachable", fault.Sentence(err)
		return out
	}
	caps, err := node.Capabilities(ctx)
	switch {
	case err == nil:
		s.backends.put(a.ID, caps.Backend)
		out.Capabilities = &caps
	case fault.CodeOf(err) == "agent_unauthorized":
		out.Health, out.Error = "unauthorized", fault.Sentence(err)
	default:
		out.Health, out.Error = "unreachable", fault.Sentence(err)
	}
	return out
}
