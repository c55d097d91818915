package controlplane

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/internal/fault"
)

func walkBoot(t *testing.T, cp *client.ControlPlane) {
	t.Helper()
	ctx := t.Context()
	must[api.Worker](t)(cp.SetBoot(ctx, "pc-01", api.SetBoot{OS: api.Some("ubuntu"), MenuTimeout: api.Some(0)}))
	if w := must[api.Worker](t)(cp.SetBoot(ctx, "pc-01", api.SetBoot{MenuTimeout: api.Optional[int]{Set: true, Null: true}})); w.DefaultOS != "ubuntu" || w.Boot != nil {
		t.Errorf("%+v", w)
	}
	if c := must[api.Changed](t)(cp.SetMAC(ctx, "pc-01", "52:54:00:00:00:09")); !*c.Changed {
		t.Errorf("%+v", c)
	}
	if b := must[api.BootVars](t)(cp.BootVars(ctx, "52:54:00:00:00:09", "")); b.MenuDefault != "ubuntu" || *b.MenuTimeout != 5000 {
		t.Errorf("%+v", b)
	}
	if script := must[string](t)(cp.BootScript(ctx, "52:54:00:00:00:09", "")); !strings.HasPrefix(script, "#!ipxe\n") {
		t.Errorf("%s", script)
	}
}

func walkList(t *testing.T, cp *client.ControlPlane) {
	t.Helper()
	ctx := t.Context()
	must[api.Worker](t)(cp.Worker(ctx, "pc-01"))
	bound := true
	f := client.WorkerFilter{Text: "pc", Bound: &bound, Limit: 1}
	page := must[client.Workers](t)(cp.Workers(ctx, f, ""))
	if len(page.Rows) != 1 || page.Next != "pc-01" {
		t.Errorf("%+v", page)
	}
	if again := must[client.Workers](t)(cp.Workers(ctx, f, page.Edition)); !again.Unchanged {
		t.Errorf("%+v", again)
	}
}

func walkWorker(t *testing.T, cp *client.ControlPlane) {
	t.Helper()
	ctx := t.Context()
	w := must[api.Changed](t)(cp.CreateWorker(ctx, api.CreateWorker{WorkerID: "pc-01", MAC: "52:54:00:00:00:01"}))
	if w.State != "registered" {
		t.Errorf("%+v", w)
	}
	// The same key again gives the same answer, another call would be refused.
	keyed := client.WithKey(ctx, "key-1")
	for range 2 {
		must[api.Changed](t)(cp.CreateWorker(keyed, api.CreateWorker{WorkerID: "pc-02", MAC: "52:54:00:00:00:02"}))
	}
	must[api.Worker](t)(cp.CreateDisk(ctx, "pc-01", api.CreateDisk{OS: "ubuntu", Type: "master", Name: "master_tpl_1.img"}))
	must[api.Worker](t)(cp.AttachCD(ctx, "pc-01", api.AttachCD{ISO: "win.iso"}))
	if w := must[api.Worker](t)(cp.DetachCD(ctx, "pc-01", client.Removal{DeleteFile: true})); w.State != "ready" {
		t.Errorf("%+v", w)
	}
	walkBoot(t, cp)
	if st := must[api.WorkerStatus](t)(cp.WorkerStatus(ctx, "pc-01")); len(st.Actual.Disks) != 1 || !st.Actual.Disks[0].Exists {
		t.Errorf("%+v", st)
	}
	walkList(t, cp)
	must[api.Worker](t)(cp.DeleteDisk(ctx, "pc-01", "ubuntu", client.Removal{DeleteFile: true}))
	if d := must[api.WorkerDeleted](t)(cp.DeleteWorker(ctx, "pc-01", client.Removal{})); d.Deleted != "pc-01" {
		t.Errorf("%+v", d)
	}
	if _, err := cp.Worker(ctx, "pc-01"); !fault.Is(err, fault.NotFound) || fault.Sentence(err) != "worker pc-01 not found" {
		t.Errorf("%v", err)
	}
	_, err := cp.CreateDisk(ctx, "pc-02", api.CreateDisk{OS: "ubuntu", Type: "master", Name: "absent_tpl_.img", DiskAgent: "st1"})
	if f := fault.As(err); f == nil || f.Kind != fault.NotFound || f.Detail != (api.AgentError{Agent: "st1", Error: "master absent_tpl_.img not found"}) {
		t.Errorf("%+v", f)
	}
}

func walkBatches(t *testing.T, cp *client.ControlPlane) {
	t.Helper()
	ctx := t.Context()
	in := api.CreateDisks{Type: "empty", OS: "debian", Size: "1G", Targets: []api.BatchTarget{{WorkerID: "pc-02", Agent: "st1"}, {WorkerID: "nobody", Agent: "st1"}}}
	if d := must[api.DisksCreated](t)(cp.CreateDisks(ctx, in)); len(d.Succeeded) != 1 || len(d.Failed) != 1 {
		t.Errorf("%+v", d)
	}
	ended := func(id string) api.Task {
		t.Helper()
		var task api.Task
		eventually(t, "task "+id+" has ended", func() bool {
			task = must[api.Task](t)(cp.Task(ctx, id))
			return api.Ended(task.State)
		})
		return task
	}
	ended(must[string](t)(cp.StartDisks(ctx, in)))
	id := must[string](t)(cp.StartDisk(ctx, "pc-02", api.CreateDisk{OS: "ubuntu", Type: "empty", Size: "1G"}))
	if task := ended(id); task.State != api.TaskSucceeded {
		t.Errorf("%+v", task)
	}
	must[api.Task](t)(cp.CancelTask(ctx, id))
	if list := must[[]api.Task](t)(cp.Tasks(ctx)); len(list) < 2 {
		t.Errorf("%+v", list)
	}
	if d := must[api.WorkersDeleted](t)(cp.DeleteWorkers(ctx, api.DeleteWorkers{WorkerIDs: []string{"nobody"}})); len(d.Failed) != 1 {
		t.Errorf("%+v", d)
	}
	if task := ended(must[string](t)(cp.StartDeleteWorkers(ctx, api.DeleteWorkers{WorkerIDs: []string{"pc-02"}, DeleteDisk: true}))); task.State != api.TaskSucceeded {
		t.Errorf("%+v", task)
	}
}

func walkService(t *testing.T, cp *client.ControlPlane) {
	t.Helper()
	ctx := t.Context()
	if err := cp.Health(ctx); err != nil {
		t.Error(err)
	}
	if r := must[api.Ready](t)(cp.Ready(ctx)); r.Status != "ready" {
		t.Errorf("%+v", r)
	}
	must[api.AutoRegister](t)(cp.AutoRegister(ctx))
	if a := must[api.AutoRegister](t)(cp.SetAutoRegister(ctx, false)); a.Enabled || a.Source != "settings" {
		t.Errorf("%+v", a)
	}
	if page := must[api.Operations](t)(cp.Operations(ctx, client.OperationsQuery{Tail: 1, Op: "settings.auto_register"})); len(page.Entries) != 1 {
		t.Errorf("%+v", page)
	}
	must[[]api.Finding](t)(cp.Findings(ctx))
	if f := must[api.FindingsFixed](t)(cp.FixFindings(ctx, []string{"nothing:at-all"})); len(f.Failed) != 1 {
		t.Errorf("%+v", f)
	}
	if v := must[api.Version](t)(cp.Version(ctx)); v.Go == "" || v.Access != api.AccessFull {
		t.Errorf("%+v", v)
	}
	if m := must[string](t)(cp.Metrics(ctx)); !strings.Contains(m, "ipxe_cp_workers") {
		t.Errorf("%s", m)
	}
	if doc, err := cp.Document(ctx); err != nil || !strings.Contains(string(doc), `"openapi":"3.1.0"`) {
		t.Errorf("%.100s %v", doc, err)
	}
	walkEvents(t, cp)
}

// walkEvents changes something as soon as the stream stands and waits to be told.
func walkEvents(t *testing.T, cp *client.ControlPlane) {
	t.Helper()
	ctx := t.Context()
	watched, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	err := cp.Watch(watched, client.Watcher{
		State: func(err error) {
			if err == nil { // the stream stands: what happens now is told
				must[api.AutoRegister](t)(cp.SetAutoRegister(ctx, true))
			}
		},
		Event: func(e client.Event) {
			if e.Kind == api.EventSettings {
				cancel()
			}
		},
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("no settings event came: %v", err)
	}
}
