package provision

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/controlplane/nodetest"
)

// The wrong separator names a disk that is not there.
func TestANodeThatTakesThePlaceOfAnotherIsAskedForItsBackendAtOnce(t *testing.T) {
	h := bare(t)
	lio := nodetest.Start(t)
	lio.Backend = "lio"
	agents := func(n *nodetest.Node) {
		h.file(t, "agents.yml", fmt.Sprintf("agents:\n  st1: {base_url: %q, token: %q, iscsi_server: 10.0.0.2, role: {disk: true}}\n", n.URL, n.Token))
	}
	agents(h.node)
	h.file(t, "workers.yml", "workers:\n  pc: {hostname: pc, disks: [{agent: st1, iqn: 'iqn.2026-07.com.c:pc.ubuntu', os: ubuntu}]}\n")
	h.file(t, "dhcp-hosts.conf", "")
	h.open(t)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); h.WatchBackends(ctx) }()
	defer func() { stop(); <-done }()

	told := func(separator string) {
		t.Helper()
		script := ""
		for range 1000 {
			script = string(h.BootScript(ctx, NewAsker("", "pc", callerFunc(func() string { return "10.0.0.9" }))))
			if h.backends.known.Load() != nil && strings.Contains(script, "set iscsi-sep "+separator+"\n") {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("the separator is not %s:\n%s", separator, script)
	}
	told(":::1:")
	agents(lio)
	told("::::")
	agents(h.node)
	told(":::1:")
}
