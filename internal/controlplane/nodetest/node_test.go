package nodetest_test

import (
	"testing"

	"ipxe-all-ready/internal/api/agenttest"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

func conforming(t *testing.T, backend string) agenttest.Node {
	n := nodetest.Start(t)
	n.Backend = backend
	n.OfferTasks()
	return agenttest.Node{
		URL: n.URL, Token: n.Token, Base: n.Base, Put: n.Put, Files: n.Files, Use: n.Use,
		Hold: func() func() { n.Hold(); return n.Release },
	}
}

func TestTheNodeInMemoryKeepsTheAgentsContract(t *testing.T) {
	agenttest.Run(t, func(t *testing.T) agenttest.Node { return conforming(t, "stgt") })
}

func TestTheNodeInMemoryKeepsTheContractOfOneWithoutCDs(t *testing.T) {
	agenttest.RunWithoutCDs(t, func(t *testing.T) agenttest.Node { return conforming(t, "lio") })
}
