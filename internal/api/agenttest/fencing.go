package agenttest

import (
	"testing"

	"ipxe-all-ready/internal/api"
)

func tellsFencing(t *testing.T, n node) {
	if _, err := n.CreateDisk(t.Context(), api.CreateLUN{IQN: n.Base + ":pc.debian", Size: "1M"}); err != nil {
		t.Fatal(err)
	}
	n.Use(n.Base+":pc.debian", n.Base+":pc")
	got, err := n.Fencing(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got.ACL != "all" || got.Rivalries == nil || got.Refusals == nil || len(got.Rivalries)+len(got.Refusals) != 0 || got.Blind != "" {
		t.Errorf("%+v", got)
	}
}
