package agent

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ipxe-all-ready/internal/agent/metrics"
	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

func TestACopyWaitsItsTurnGrowsAndSucceeds(t *testing.T) {
	c := newCopier(t)
	id := c.begin(t, "a")
	until(t, "it waits for its turn", func() bool {
		got := c.becomes(t, id, api.TaskQueued)
		return got.Clone == "copy" && got.Kind == "disk" && got.IQN == base+":a" && got.EndedAt == nil
	})
	c.free()
	got := c.becomes(t, id, api.TaskSucceeded)
	want := api.LUNCreated{IQN: base + ":a", Backing: c.dir + "/a.img", Clone: "copy", Bytes: 4 << 20}
	if got.Result == nil || *got.Result != want || got.BytesDone != 4<<20 || got.BytesTotal != 4<<20 || got.EndedAt == nil || got.Clone != "copy" {
		t.Errorf("task %+v\nresult %+v", got, got.Result)
	}
	c.holds(t, "a.img held.img u_tpl_1.img")
	c.lastLogged(t, `"op":"disk","req":{"iqn":"`+base+`:a","master":"u_tpl_1.img"},"result":{"iqn":"`+base+`:a","backing":"`+c.dir+
		`/a.img","clone":"copy","bytes":4194304},"client":"127.0.0.1"}`)
	if targets, err := c.Targets(t.Context()); err != nil || len(targets) != 2 {
		t.Errorf("targets %+v, %v", targets, err)
	}
	if late, err := c.CancelTask(t.Context(), id); err != nil || late.State != api.TaskSucceeded {
		t.Errorf("cancelled too late: %+v, %v", late, err)
	}
}

func TestACancelledTaskLeavesNothing(t *testing.T) {
	c := newCopier(t)
	id := c.begin(t, "a")
	if _, err := c.CancelTask(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if got := c.becomes(t, id, api.TaskCancelled); got.Result != nil || got.EndedAt == nil {
		t.Errorf("task %+v", got)
	}
	c.lastLogged(t, `"result":null,"client":"127.0.0.1","error":"cancelled before it was done"}`)
	c.free()
	c.holds(t, "held.img u_tpl_1.img")
	if targets, err := c.Targets(t.Context()); err != nil || len(targets) != 1 {
		t.Errorf("targets %+v, %v", targets, err)
	}
}

func TestACallerWhoHangsUpInACopyLeavesNothing(t *testing.T) {
	c := newCopier(t)
	ctx, hangUp := context.WithCancel(t.Context())
	answered := make(chan error, 1)
	go func() {
		_, err := c.CreateDisk(ctx, api.CreateLUN{IQN: base + ":a", Master: "u_tpl_1.img"})
		answered <- err
	}()
	until(t, "the copy has begun", func() bool { return temporaries(t, c.dir) == 2 })
	hangUp()
	if err := <-answered; err == nil {
		t.Error("a caller who is gone was answered")
	}
	until(t, "the copy is gone", func() bool { return temporaries(t, c.dir) == 1 })
	until(t, "it is logged", func() bool { return get[api.Operations](t, c.node, "/logs").NextCursor == 2 })
	c.lastLogged(t, `"error":"given up: the caller hung up"}`)
	c.free()
	c.holds(t, "held.img u_tpl_1.img")
}

// temporaries are the files in the making.
func temporaries(t *testing.T, dir string) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, ".ipxe-tmp-*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

func TestATaskFailsInTheWordsOfASynchronousCall(t *testing.T) {
	c := newCopier(t)
	in := api.CreateLUN{IQN: base + ":a", Master: "gone_tpl_1.img"}
	_, id, err := c.CreateDiskAsync(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	got := c.becomes(t, id, api.TaskFailed)
	if got.Error != "master gone_tpl_1.img not found in the image folder" || got.Code != "not_found" || got.Result != nil {
		t.Errorf("task %+v", got)
	}
	c.lastLogged(t, `"error":"`+got.Error+`"}`)
	if _, err := c.CreateDisk(t.Context(), in); !fault.Is(err, fault.NotFound) || fault.Sentence(err) != "agent st1: "+got.Error {
		t.Errorf("synchronous: %v", err)
	}
}

func TestWhatCanNeverBeMadeIsRefusedWithoutATask(t *testing.T) {
	c := newCopier(t)
	_, id, err := c.CreateDiskAsync(t.Context(), api.CreateLUN{IQN: base + ":a", Master: "../x_tpl_1.img"})
	if id != "" || !fault.Is(err, fault.Invalid) {
		t.Errorf("task %q, %v", id, err)
	}
	if _, err := c.Task(t.Context(), "nope"); !fault.Is(err, fault.NotFound) || fault.Sentence(err) != `agent st1: task "nope" not found` {
		t.Errorf("Task = %v", err)
	}
	if _, err := c.CancelTask(t.Context(), "nope"); !fault.Is(err, fault.NotFound) {
		t.Errorf("CancelTask = %v", err)
	}
}

func TestTheAnswerToATaskSaysWhereItIs(t *testing.T) {
	n := newNode(t)
	req, err := http.NewRequestWithContext(t.Context(), "POST", n.url+"/lun/disk", strings.NewReader(`{"iqn":"`+base+`:a","size":"1M"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Prefer", "wait=5, respond-async")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	at := res.Header.Get("Location")
	if res.StatusCode != 202 || !strings.HasPrefix(at, "/tasks/") || res.Header.Get("Preference-Applied") != "respond-async" {
		t.Fatalf("%d %v", res.StatusCode, res.Header)
	}
	until(t, "the disk stands", func() bool { return get[api.AgentTask](t, n, at).State == api.TaskSucceeded })
	if got := get[api.AgentTask](t, n, at); got.Result == nil || got.Result.Backing != n.dir+"/a.img" || got.Clone != "" {
		t.Errorf("task %+v", got)
	}
}

func TestAStopInMidCopyLeavesNothingAndIsLogged(t *testing.T) {
	o := options(t)
	a, err := assemble(o, quiet(), fake.New(), metrics.New())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	begun := make(chan struct{})
	if _, err := a.tasks.Go("x", func(ctx context.Context, _ store.Progress) (api.LUNCreated, error) {
		close(begun)
		<-ctx.Done()
		a.journal.Add(ctx, "disk", "", struct{}{}, nil, context.Cause(ctx))
		return api.LUNCreated{}, ctx.Err()
	}); err != nil {
		t.Fatal(err)
	}
	<-begun
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(o.LogFile)
	if err != nil || !strings.Contains(string(text), `"error":"the agent is stopping"}`) {
		t.Errorf("log %s, %v", text, err)
	}
}
