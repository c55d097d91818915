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

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/site"
)

// TestAWorkersDocumentedLife walks the contract's calls in the order a person
// makes them, through the client that the consoles use, on the real daemons
// and real target servers.
func TestAWorkersDocumentedLife(t *testing.T) {
	p := startSite(t)
	node := p.Nodes[1]
	cp := client.NewControlPlane(client.ControlPlaneOptions{
		BaseURL: "http://" + site.Address.String(), HTTP: p.CP.HTTPClient(30 * time.Second),
	})
	must(t, lab.WriteGuestDisk(filepath.Join(node.Images, "debian_tpl_v1.img"), "debian", lab.BIOS))
	ctx := t.Context()

	part(t, "a node is probed, taken out, and registered again", func(t *testing.T) {
		entry := node.Entry()
		probe := got(cp.ProbeAgent(ctx, api.ProbeAgent{BaseURL: entry.BaseURL, Token: entry.Token}))(t)
		if probe.Backend != "stgt" || probe.BaseIQN != site.IQNBase || !probe.Role.CD || !slices.Equal(probe.Tags, []string{"storage", "stgt"}) {
			t.Errorf("%+v", probe)
		}
		_, err := cp.ProbeAgent(ctx, api.ProbeAgent{BaseURL: entry.BaseURL, Token: "wrong"})
		if fault.CodeOf(err) != "agent_unauthorized" {
			t.Errorf("a wrong token: %v", err)
		}
		must(t, cp.DeleteAgent(ctx, node.ID))
		entry.Role, entry.Tags = probe.Role, probe.Tags
		if a := got(cp.RegisterAgent(ctx, entry))(t); a.ID != node.ID || !a.Enabled {
			t.Errorf("%+v", a)
		}
		for _, a := range got(cp.Agents(ctx, true))(t) {
			if a.Health != "ok" {
				t.Errorf("%+v", a)
			}
		}
	})

	part(t, "a worker is registered, gets a disk from a master and its default", func(t *testing.T) {
		got(cp.CreateWorker(ctx, api.CreateWorker{WorkerID: "pc-01", MAC: "00-0C-29-B9-8B-2D"}))(t)
		masters := got(cp.Masters(ctx))(t)
		if !strings.Contains(fmt.Sprint(masters), "debian_tpl_v1.img") {
			t.Errorf("%+v", masters)
		}
		task := got(cp.StartDisk(ctx, "pc-01", api.CreateDisk{OS: "debian", Type: "master", Name: "debian_tpl_v1.img", DiskAgent: node.ID}))(t)
		must(t, lab.Poll(lab.Patience, func() error {
			now, err := cp.Task(ctx, task)
			if err == nil && now.State != api.TaskSucceeded {
				err = fmt.Errorf("task %s is %+v", task, now)
			}
			return err
		}))
		w := got(cp.SetBoot(ctx, "pc-01", api.SetBoot{OS: api.Some("debian")}))(t)
		if w.State != "ready" || w.DefaultOS != "debian" {
			t.Errorf("%+v", w)
		}
		script := got(cp.BootScript(ctx, "00:0c:29:b9:8b:2d", ""))(t)
		if want := "set root-debian iscsi:" + node.Host.Addr.String() + ":::1:" + site.IQNBase + ":pc-01.debian"; !strings.HasSuffix(strings.TrimSpace(script), want) {
			t.Errorf("the boot script lacks %q:\n%s", want, script)
		}
	})

	part(t, "its status is what the target server shows, and its MAC changes", func(t *testing.T) {
		st := got(cp.WorkerStatus(ctx, "pc-01"))(t)
		if len(st.Actual.Disks) != 1 || !st.Actual.Disks[0].Exists || st.Actual.Disks[0].Error != "" || *st.Actual.Dnsmasq.MAC != "00:0c:29:b9:8b:2d" {
			t.Errorf("%+v", st.Actual)
		}
		change := got(cp.SetMAC(ctx, "pc-01", "52:54:00:00:00:0a"))(t)
		if change.Changed == nil || !*change.Changed || change.DnsmasqReloaded == nil || !*change.DnsmasqReloaded {
			t.Errorf("%+v", change)
		}
		sees(t, "dnsmasq", p.Dnsmasq.Log, `read `+p.HostsFile(), lab.Patience)
		fileHas(t, p.HostsFile(), `(?m)^52:54:00:00:00:0a,pc-01$`)
	})

	part(t, "a batch deals disks over both nodes, and repeated does nothing twice", func(t *testing.T) {
		var targets []api.BatchTarget
		for i := range 6 {
			id := fmt.Sprintf("lab-%02d", i+1)
			got(cp.CreateWorker(ctx, api.CreateWorker{WorkerID: id, MAC: fmt.Sprintf("52:54:00:00:01:%02x", i)}))(t)
			targets = append(targets, api.BatchTarget{WorkerID: id, Agent: p.Nodes[i%2].ID})
		}
		batch := api.CreateDisks{Type: "empty", OS: "ubuntu", Size: "16M", Targets: targets}
		if out := got(cp.CreateDisks(ctx, batch))(t); len(out.Succeeded) != 6 || len(out.Failed) != 0 {
			t.Errorf("%+v", out)
		}
		if out := got(cp.CreateDisks(ctx, batch))(t); len(out.Skipped) != 6 || len(out.Succeeded)+len(out.Failed) != 0 {
			t.Errorf("repeated: %+v", out)
		}
		for i, n := range p.Nodes {
			if names := imagesOf(t, n, "lab-"); len(names) != 3 {
				t.Errorf("node %d holds %v", i+1, names)
			}
		}
		if f := got(cp.Findings(ctx))(t); len(f) != 0 {
			t.Errorf("findings: %+v", f)
		}
	})

	part(t, "deleted with their files they leave nothing, and the trail knows it all", func(t *testing.T) {
		ids := []string{"pc-01", "lab-01", "lab-02", "lab-03", "lab-04", "lab-05", "lab-06"}
		out := got(cp.DeleteWorkers(ctx, api.DeleteWorkers{WorkerIDs: ids, DeleteDisk: true}))(t)
		if len(out.Succeeded) != len(ids) || len(out.Failed) != 0 {
			t.Errorf("%+v", out)
		}
		for _, n := range p.Nodes {
			var standing []api.Target
			must(t, n.Call("GET", "/lun", nil, &standing))
			if names := imagesOf(t, n, "lab-"); len(standing) != 0 || len(names) != 0 {
				t.Errorf("%s still has %v and %+v", n.ID, names, standing)
			}
		}
		page := got(cp.Operations(ctx, client.OperationsQuery{Tail: 1000}))(t)
		for _, op := range []string{"agent.probe", "agent.register", "create_worker", "worker.disk.create", "worker.boot.set", "worker.mac.update", "delete_worker", "dnsmasq.reload"} {
			if !strings.Contains(fmt.Sprintf("%s", page.Entries), `"op":"`+op+`"`) {
				t.Errorf("the trail has no %s", op)
			}
		}
	})
}

// got turns a call's answer and error into the answer, or ends the test.
func got[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		must(t, err)
		return v
	}
}

func imagesOf(t *testing.T, n *site.Node, prefix string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(n.Images)
	must(t, err)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			out = append(out, e.Name())
		}
	}
	return out
}
