package provision

import (
	"context"

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
	caps, errs := atOnce(s, agents, func(a *ledger.Agent) (*api.Capabilities, error) {
		if !live || !a.Enabled {
			return nil, nil
		}
		return s.capabilities(ctx, a)
	})
	out := make([]LiveAgent, len(agents))
	for i, a := range agents {
		out[i] = LiveAgent{Agent: a, Capabilities: caps[i]}
		if live {
			out[i].Health, out[i].Error = health(a, errs[i])
		}
	}
	return out
}

func (s *Service) capabilities(ctx context.Context, a *ledger.Agent) (*api.Capabilities, error) {
	node := s.o.Dial(a)
	if err := node.Health(ctx); err != nil {
		return nil, err
	}
	caps, err := node.Capabilities(ctx)
	if err != nil {
		return nil, err
	}
	s.backends.put(a.ID, caps.Backend)
	return &caps, nil
}

// health puts in a word what asking a node came to.
func health(a *ledger.Agent, err error) (word, sentence string) {
	switch {
	case !a.Enabled:
		return "disabled", ""
	case err == nil:
		return "ok", ""
	case fault.CodeOf(err) == "agent_unauthorized":
		return "unauthorized", fault.Sentence(err)
	}
	return "unreachable", fault.Sentence(err)
}
