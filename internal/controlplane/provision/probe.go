package provision

import (
	"context"
	"strings"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/netboot"
	"ipxe-all-ready/internal/secret"
)

// Probing is a node that a person wants to know before it is registered.
type Probing struct {
	BaseURL string
	Host    iscsi.Host      // of BaseURL
	Token   secret.Text     // zero: the stored one of ID, at the new address too
	ID      netboot.AgentID // zero: a new node
	Client  string
}

// Probe asks a node what it can do and writes nothing but the trail.
func (s *Service) Probe(ctx context.Context, p Probing) (api.Capabilities, error) {
	a := &ledger.Agent{ID: p.ID, BaseURL: p.BaseURL, ISCSIServer: p.Host, Token: p.Token}
	if known, ok := s.snapshot().Agent(p.ID); ok && a.Token.IsZero() {
		a.Token = known.Token
	}
	op, err := s.begin(ctx, audit.OpAgentProbe, audit.Fields{Agent: p.ID.String(), Client: p.Client,
		Extra: map[string]any{"base_url": p.BaseURL}})
	if err != nil {
		return api.Capabilities{}, err
	}
	caps, err := s.o.Dial(a).Capabilities(ctx)
	return caps, op.end(ctx, probeFault(err), nil)
}

// probeFault makes every refusal of the node one of an upstream: its 404 says
// that it is something else, and an unreachable one is what a probe finds out.
// An address that may not be asked is the caller's fault.
func probeFault(err error) error {
	f := fault.As(err)
	if f == nil {
		return err
	}
	c := *f
	c.Kind = fault.Upstream
	switch {
	case f.Code == "agent_address":
		c.Kind = fault.Invalid
	case !strings.HasPrefix(f.Code, "agent_"):
		c.Code = "agent_refused"
	}
	return &c
}
