package tui_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/tui"
	"ipxe-all-ready/tui/i18n"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/tuitest"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

const shownURL = "http://192.168.80.1:4839"

func ptr[T any](v T) *T { return &v }

// fleet is n machines, some with disks.
func fleet(n int) []api.Worker {
	out := make([]api.Worker, 0, n)
	for i := 1; i <= n; i++ {
		id := fmt.Sprintf("worker-%02d", i)
		w := api.Worker{WorkerID: id, Hostname: id, MAC: ptr(fmt.Sprintf("52:54:00:00:%02x:%02x", i/256, i%256)), Arch: "x86_64", State: "registered", Disks: []api.Disk{}}
		if i%3 == 0 {
			node := []string{"node-1", "node-2"}[i%2]
			w.State, w.DefaultOS = "ready", "ubuntu"
			w.Disks = []api.Disk{{Agent: node, IQN: "iqn.2026-07.com.example:" + id + ".ubuntu", Filename: id + ".ubuntu.img", OS: "ubuntu", Source: api.Source{Type: "master", Name: "ubuntu_tpl_24.img"}}}
			w.LastBootAt = ptr(noon.Add(-time.Duration(i) * time.Hour))
		}
		if i%7 == 0 {
			w.State, w.Error = "failed", "row cannot be read"
		}
		out = append(out, w)
	}
	return out
}

func nodes() []api.Agent {
	return []api.Agent{
		{ID: "node-1", BaseURL: "http://192.168.80.3:4840", ISCSIServer: "192.168.80.3", Role: api.Role{Disk: true, CD: true}, Enabled: true, Tags: []string{"storage", "stgt"}, Health: "ok",
			Capabilities: &api.Capabilities{Backend: "stgt", FSType: "btrfs", CD: true, BaseIQN: "iqn.2026-07.com.example", Clone: "reflink (FICLONE)", FreeBytes: 700 << 30, TotalBytes: 1000 << 30, Targets: 12}},
		{ID: "node-2", BaseURL: "http://192.168.80.4:4840", ISCSIServer: "192.168.80.4", Role: api.Role{Disk: true}, Enabled: true, Tags: []string{"storage", "lio"}, Health: "ok",
			Capabilities: &api.Capabilities{Backend: "lio", FSType: "ext4", BaseIQN: "iqn.2026-07.com.example", Clone: "full copy (no reflink)", FreeBytes: 90 << 30, TotalBytes: 1000 << 30, Targets: 3}},
		{ID: "机房-3", BaseURL: "http://192.168.80.5:4840", Role: api.Role{Disk: true}, Enabled: true, Health: "unreachable", Error: "connection refused"},
		{ID: "node-4", BaseURL: "http://192.168.80.6:4840", Role: api.Role{Disk: true}, Health: "disabled"},
	}
}

func task() api.Task {
	return api.Task{ID: "t-1", Kind: "disk.create.batch", State: "failed", StartedAt: noon.Add(-time.Minute), EndedAt: ptr(noon), Items: []api.TaskItem{
		{WorkerID: "worker-01", Agent: "node-1", State: "succeeded"},
		{WorkerID: "worker-03", Agent: "node-2", State: "succeeded", Reason: "has a disk for ubuntu"},
		{WorkerID: "worker-04", Agent: "node-2", State: "failed", Error: "agent node-2: 磁盘空间不足: needs 40 GiB and 12 GiB are free"},
	}}
}

func running() api.Task {
	return api.Task{ID: "t-2", Kind: "disk.create", State: "running", StartedAt: noon, Items: []api.TaskItem{
		{WorkerID: "worker-02", Agent: "node-1", State: "running", BytesDone: 21 << 30, BytesTotal: 60 << 30}}}
}

func operations() api.Operations {
	var o api.Operations
	for i := 1; i <= 40; i++ {
		status := []string{"started", "succeeded", "failed"}[i%3]
		o.Entries = append(o.Entries, json.RawMessage(fmt.Sprintf(
			`{"id":%d,"ts":"2026-07-01T11:%02d:00Z","op":"worker.disk.create","status":%q,"worker_id":"worker-%02d","agent":"node-1","error":"%s"}`,
			i, i, status, i, map[string]string{"failed": "no space left on node-1"}[status])))
	}
	o.NextCursor = 40
	return o
}

// answers is what the control plane of the golden frames says.
func answers() map[string]any {
	w := fleet(40)
	session := []api.Session{{Initiator: "iqn.2010-04.org.ipxe:worker-03"}}
	target := api.Target{IQN: w[2].Disks[0].IQN, LUNs: []api.LUN{{LUN: 1, Backing: ptr("/images/worker-03.ubuntu.img"), Size: 40 << 30}}, Sessions: session}
	return map[string]any{
		"/workers": w, "/agents": nodes(), "/tasks": []api.Task{running(), task()}, "/tasks/t-1": task(), "/operations": operations(),
		"/settings/auto-register": api.AutoRegister{Enabled: true, Source: "env"},
		"/agents/node-1/sessions": []api.AgentSession{{IQN: target.IQN, WorkerID: "worker-03", Initiator: session[0].Initiator}},
		"/agents/node-2/sessions": []api.AgentSession{},
		"/agents/node-1/luns":     []api.Target{target, {IQN: "iqn.2026-07.com.example:left-over", LUNs: []api.LUN{{LUN: 1, Backing: ptr("/images/left-over.img"), Size: 1 << 30}}, Sessions: []api.Session{}}},
		"/masters":                api.MastersByAgent{Agents: []api.AgentMasters{{Agent: "node-1", Masters: []api.Master{{Name: "ubuntu_tpl_24.img", Size: 8 << 30}}}, {Agent: "node-2", Masters: []api.Master{}}}},
		"/reconcile": api.Reconcile{Findings: []api.Finding{
			{ID: "f1", Kind: "missing_target", WorkerID: "worker-06", Agent: "node-1", Detail: "the target of worker-06's ubuntu is not on node-1", Fix: "export_again"},
			{ID: "f2", Kind: "agent_unreachable", Agent: "机房-3", Detail: "机房-3 does not answer"}}},
		"/readyz": api.Ready{Status: "not_ready", Faults: []api.LedgerFault{{File: "state/workers.yml", Line: 12, Error: "did not find expected key"}}},
		"/workers/worker-03/status": api.WorkerStatus{Worker: w[2], Actual: api.Actual{Dnsmasq: api.Binding{Hostname: "worker-03", MAC: w[2].MAC},
			Disks: []api.DiskStatus{{OS: "ubuntu", LUNStatus: api.LUNStatus{Agent: "node-2", IQN: target.IQN, Exists: true, Target: &target, Sessions: session}}}}},
		"/agents/probe": api.Probe{BaseURL: "http://192.168.80.9:4840", Role: api.Role{Disk: true}, Tags: []string{"storage", "lio"}, ISCSIServer: "192.168.80.9", Enabled: true, Backend: "lio", FSType: "xfs", BaseIQN: "iqn.2026-07.com.example", Clone: "reflink (FICLONE)"},
	}
}

// serve answers from a table; what it lacks is 404.
func serve(t testing.TB, table map[string]any) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		v, ok := table[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			v = api.Error{Detail: r.URL.Path + " is not here", Code: "not_found"}
		}
		_ = json.NewEncoder(w).Encode(v)
	}))
	t.Cleanup(s.Close)
	return s
}

func options(url string, lang i18n.Lang, colour bool) tui.Options {
	return tui.Options{URL: shownURL, Lang: lang, Theme: theme.Options{Colour: colour, Dark: true},
		Client: client.NewControlPlane(client.ControlPlaneOptions{BaseURL: url})}
}

// console is one that runs on the table's answers and has read what it wants.
func console(t *testing.T, lang i18n.Lang, colour bool) *tuitest.Driver {
	t.Helper()
	s := serve(t, answers())
	d := tuitest.Start(t, options(s.URL, lang, colour), tuitest.NewClock(noon), 80, 24)
	d.Settle()
	d.Send(tui.StreamMsg{State: true})
	d.Settle()
	return d
}
