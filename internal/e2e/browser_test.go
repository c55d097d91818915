//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/site"
)

// browse runs files of web/e2e in the network of the control plane: a real
// Chromium against the real nginx.
func (p *proof) browse(t *testing.T, env []string, files ...string) {
	t.Helper()
	root, err := lab.Root()
	must(t, err)
	web := filepath.Join(root, "web")
	run := []string{filepath.Join(web, "node_modules", "vitest", "vitest.mjs"), "run", "--config", filepath.Join(web, "e2e", "vitest.config.ts")}
	b, err := p.CP.Start("browser", slices.Concat([]string{
		"CONSOLE_URL=http://" + site.WebAddress.String(),
		"CONSOLE_SHOTS=" + filepath.Join(root, ".cache", "screens"),
		"CONSOLE_FIGURES=" + filepath.Join(root, ".cache", "web-bench.json"),
		"NO_COLOR=1", "CI=1",
	}, env), "node", append(run, files...)...)
	must(t, err)
	select {
	case <-b.Done():
	case <-time.After(15 * time.Minute):
		must(t, b.Stop())
		t.Fatalf("the browser has not ended:\n%s", b.Log.Tail(80))
	}
	how, _ := b.Exited()
	if how != "exit status 0" {
		t.Fatalf("%s:\n%s", how, b.Log.Tail(150))
	}
	t.Logf("%s", b.Log.Tail(12))
}

// TestAPersonWorksInTheBrowserConsole is the whole console on the real
// daemons, with no worker, three and ten thousand.
func TestAPersonWorksInTheBrowserConsole(t *testing.T) {
	p := startSite(t)
	for _, n := range p.Nodes {
		must(t, lab.WriteGuestDisk(filepath.Join(n.Images, "debian_tpl_v1.img"), "debian", lab.BIOS))
	}
	part(t, "with no worker every screen says what to do", func(t *testing.T) {
		p.browse(t, []string{"CONSOLE_STATE=0"}, "looks")
	})
	part(t, "with three workers everything is done that a person does", func(t *testing.T) {
		for i := range 3 {
			p.call(t, "POST", "/workers", fmt.Sprintf(`{"worker_id":"pc-%02d","mac":"52:54:00:00:01:%02x"}`, i+1, i+1), nil)
		}
		p.call(t, "POST", "/workers/pc-01/luns/disk", `{"os":"debian","type":"master","name":"debian_tpl_v1.img","disk_agent":"node-1"}`, nil)
		p.call(t, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"64M","disk_agent":"node-2"}`, nil)
		p.call(t, "PUT", "/workers/pc-01/default-os", `{"os":"debian"}`, nil)
		odd := filepath.Join(p.Public, "odd #100% 名")
		must(t, os.Mkdir(odd, 0o755))
		must(t, os.WriteFile(filepath.Join(odd, "a b#c%20.txt"), []byte("hello\n"), 0o644))
		p.browse(t, []string{"CONSOLE_STATE=3", "CONSOLE_NODE_TOKEN=" + p.Nodes[1].Entry().Token},
			"looks", "worker", "records", "batch", "agents", "files")
	})
	part(t, "a token is asked for, and one that may only read hides the rest", func(t *testing.T) {
		full, view := "a-token-for-everything-0123", "a-token-for-reading-4567890"
		p.restart(t, "IPXE_CP_TOKEN="+full, "IPXE_CP_VIEW_TOKEN="+view)
		p.browse(t, []string{"CONSOLE_TOKEN=" + full, "CONSOLE_VIEW_TOKEN=" + view}, "token")
		p.restart(t)
	})
	part(t, "with ten thousand workers it stays quick", func(t *testing.T) {
		must(t, p.ControlPlane.Stop())
		must(t, thousands(p.Site, 10_000))
		must(t, p.StartControlPlane())
		p.browse(t, []string{"CONSOLE_STATE=10000"}, "many", "looks")
	})
}

// restart ends the control plane and starts it with more settings.
func (p *proof) restart(t *testing.T, env ...string) {
	t.Helper()
	must(t, p.ControlPlane.Stop())
	p.Env = env
	must(t, p.StartControlPlane())
}

// thousands writes ledger and bindings of n workers, as a script of a person's might.
func thousands(s *site.Site, n int) error {
	var workers, hosts strings.Builder
	workers.WriteString("schema: 1\nworkers:\n")
	states := []string{"registered", "registered", "registered", "failed"}
	for i := 1; i <= n; i++ {
		id := fmt.Sprintf("worker-%02d", i)
		fmt.Fprintf(&workers, "  %s: {hostname: %s, arch: x86_64, state: %s, disks: [], cd: null}\n", id, id, states[i%len(states)])
		fmt.Fprintf(&hosts, "52:54:01:%02x:%02x:%02x,%s\n", i>>16, i>>8&255, i&255, id)
	}
	workers.WriteString("...\n") // the line that shows that the file is whole
	if err := os.WriteFile(s.WorkersFile(), []byte(workers.String()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(s.HostsFile(), []byte(hosts.String()), 0o644)
}
