package agenttest

import (
	"encoding/json"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

func (n node) begin(t *testing.T, in api.CreateLUN) (id string) {
	t.Helper()
	_, id, err := n.CreateDiskAsync(t.Context(), in)
	if err != nil || id == "" {
		t.Fatalf("task %q, %v", id, err)
	}
	return id
}

// ends waits until the task has.
func (n node) ends(t *testing.T, id string) (got api.AgentTask) {
	t.Helper()
	until(t, "the task ends", func() bool {
		var err error
		if got, err = n.Task(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		return api.Ended(got.State)
	})
	if got.ID != id || got.Kind != "disk" || got.StartedAt.IsZero() || got.EndedAt == nil || got.EndedAt.Before(got.StartedAt) {
		t.Errorf("task %+v", got)
	}
	return got
}

func taskSucceeds(t *testing.T, n node) {
	a := n.call(t, "POST", "/lun/disk", n.disk("a", `,"master":"`+Master+`"`), "Prefer", "wait=5, respond-async")
	var started api.TaskStarted
	if err := json.Unmarshal(a.body, &started); err != nil || a.status != 202 || started.TaskID == "" ||
		a.header.Get("Location") != "/tasks/"+started.TaskID || a.header.Get("Preference-Applied") != "respond-async" {
		t.Fatalf("%d %v %s", a.status, a.header, a.body)
	}
	got := n.ends(t, started.TaskID)
	if got.State != api.TaskSucceeded || got.IQN != n.iqn("a") || got.Result == nil || got.Result.IQN != n.iqn("a") || got.Result.Bytes <= 0 ||
		got.Result.Clone != got.Clone || got.Error != "" || got.Code != "" {
		t.Errorf("task %+v, result %+v", got, got.Result)
	}
	n.wantServed(t, "a", "a.img", "disk")
	if late, err := n.CancelTask(t.Context(), started.TaskID); err != nil || late.State != api.TaskSucceeded {
		t.Errorf("cancelled too late: %+v, %v", late, err)
	}
	n.wantFile(t, "a.img", true)
}

func taskFails(t *testing.T, n node) {
	n.Put("kept.img")
	for _, in := range []api.CreateLUN{
		{IQN: n.iqn("a"), Filename: "a.img", Master: "gone_tpl_1.img"},
		{IQN: n.iqn("a"), Filename: "a.img", Existing: true},
		{IQN: n.iqn("kept"), Filename: "kept.img", Master: Master},
	} {
		got := n.ends(t, n.begin(t, in))
		_, err := n.CreateDisk(t.Context(), in)
		if got.State != api.TaskFailed || got.Result != nil || got.Code != fault.KindOf(err).Code() || "agent st1: "+got.Error != fault.Sentence(err) {
			t.Errorf("task %+v\nwhere a call says %v", got, err)
		}
	}
	listsNothing(t, n)
}

func taskIsCancelled(t *testing.T, n node) {
	release := n.Hold()
	id := n.begin(t, api.CreateLUN{IQN: n.iqn("a"), Filename: "a.img", Master: Master})
	if got, err := n.Task(t.Context(), id); err != nil || api.Ended(got.State) || got.EndedAt != nil || got.IQN != n.iqn("a") {
		t.Errorf("held: %+v, %v", got, err)
	}
	if _, err := n.CancelTask(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if got := n.ends(t, id); got.State != api.TaskCancelled || got.Result != nil || got.Error != "" {
		t.Errorf("task %+v", got)
	}
	release()
	n.wantFile(t, "a.img", false)
	if n.target(t, "a") != nil {
		t.Error("its target stands")
	}
	n.mustMake(t, api.CreateLUN{IQN: n.iqn("a"), Filename: "a.img", Master: Master})
}

func unknownTask(t *testing.T, n node) {
	n.refuses(t, "GET", "/tasks/none", "", 404, "not_found")
	n.refuses(t, "DELETE", "/tasks/none", "", 404, "not_found")
}

func refusesWithoutTask(t *testing.T, n node) {
	for _, body := range n.badDisks() {
		if a := n.call(t, "POST", "/lun/disk", body, "Prefer", "respond-async"); a.status != 400 {
			t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
}
