package agent

import (
	"os"
	"strings"
	"testing"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/api/agenttest"
)

// conforming is an agent on a server in memory, as the suite wants it: its
// first scan is over before there is anything to export.
func conforming(t *testing.T, b *fake.Backend) agenttest.Node {
	t.Helper()
	c := newIdleCopier(t, b)
	until(t, "the first scan is logged", func() bool { return get[api.Operations](t, c.node, "/logs").NextCursor == 1 })
	c.putMaster(t, agenttest.Master)
	c.put(t, agenttest.ISO)
	return agenttest.Node{
		URL: c.url, Token: token, Base: base,
		Put:   func(file string) { c.put(t, file) },
		Files: func() []string { return images(t, c.dir) },
		Use: func(iqn, initiator string) {
			if _, err := b.Login(iqn, initiator); err != nil {
				t.Fatal(err)
			}
		},
		Hold: func() func() { c.hold(t, agenttest.Master); return c.free },
	}
}

func images(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}

func TestTheAgentKeepsItsContract(t *testing.T) {
	agenttest.Run(t, func(t *testing.T) agenttest.Node { return conforming(t, fake.New()) })
}

func TestTheAgentKeepsItsContractWithoutCDs(t *testing.T) {
	agenttest.RunWithoutCDs(t, func(t *testing.T) agenttest.Node {
		return conforming(t, fake.NewWith(target.Traits{Name: "lio", Persistent: true}))
	})
}
