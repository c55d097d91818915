package provision

import (
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

func TestAProbesFaultIsTheNodesUnlessTheAddressMayNotBeAsked(t *testing.T) {
	said := api.AgentError{Agent: "st1", Error: "words"}
	for _, c := range []struct {
		kind fault.Kind
		code string
		want fault.Kind
		then string
	}{
		{fault.Unavailable, "agent_unreachable", fault.Upstream, "agent_unreachable"},
		{fault.Upstream, "agent_unauthorized", fault.Upstream, "agent_unauthorized"},
		{fault.Upstream, "agent_redirect", fault.Upstream, "agent_redirect"},
		{fault.NotFound, "not_found", fault.Upstream, "agent_refused"},
		{fault.Internal, "internal", fault.Upstream, "agent_refused"},
		{fault.Upstream, "agent_address", fault.Invalid, "agent_address"},
	} {
		err := probeFault(&fault.Error{Kind: c.kind, Code: c.code, Text: "agent st1: words", Detail: said})
		if f := fault.As(err); f.Kind != c.want || f.Code != c.then || f.Text != "agent st1: words" || f.Detail != said {
			t.Errorf("%s: %+v", c.code, f)
		}
	}
	if probeFault(nil) != nil {
		t.Error("success is no fault")
	}
}
