package controlplane

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

const newUbuntu = `{"os":"ubuntu","type":"master","name":"master_tpl_1.img"}`

// async asks for a task and returns its id.
func (s *site) async(path, body string) string {
	s.t.Helper()
	a := s.call("POST", path, body, "Prefer", "wait=1, Respond-Async")
	id := decode[api.TaskStarted](s.t, a).TaskID
	if a.status != 202 || id == "" || a.header.Get("Location") != "/tasks/"+id || a.header.Get("Preference-Applied") != "respond-async" {
		s.t.Fatalf("POST %s: %s %v", path, a, a.header)
	}
	return id
}

func (s *site) task(id string) api.Task {
	s.t.Helper()
	return decode[api.Task](s.t, s.want(200, "GET", "/tasks/"+id, ""))
}

// ended waits for a task's end.
func (s *site) ended(id string) api.Task {
	s.t.Helper()
	var got api.Task
	eventually(s.t, "task "+id+" ends", func() bool { got = s.task(id); return api.Ended(got.State) })
	return got
}

func working(t *testing.T, n *nodetest.Node) {
	t.Helper()
	eventually(t, "the node works", func() bool { now, _ := n.Busy(); return now == 1 })
}

func TestADiskIsMadeAsATaskWithItsProgress(t *testing.T) {
	s, n := siteWithNode(t)
	n.OfferTasks()
	n.Hold()
	id := s.async("/workers/pc-01/luns/disk", newUbuntu)
	working(t, n)
	n.Grow(3<<20, 8<<20)
	eventually(t, "the progress is shown", func() bool { return s.task(id).Items[0].BytesDone == 3<<20 })
	got := s.task(id)
	want := api.TaskItem{WorkerID: "pc-01", Agent: "st1", State: "running", BytesDone: 3 << 20, BytesTotal: 8 << 20}
	if got.Kind != "disk.create" || got.State != "running" || got.Items[0] != want || got.EndedAt != nil {
		t.Errorf("%+v", got)
	}
	for _, c := range [][2]string{{"POST", "/workers/pc-01/luns/disk"}, {"DELETE", "/workers/pc-01/luns/disk/ubuntu"}, {"DELETE", "/workers/pc-01"}} {
		if a := s.want(409, c[0], c[1], newUbuntu); decode[api.Error](t, a).Code != "in_progress" || !strings.Contains(string(a.body), "made by task "+id) {
			t.Errorf("%s %s: %s", c[0], c[1], a)
		}
	}
	s.want(200, "PUT", "/workers/pc-01/mac", `{"mac":"52:54:00:00:00:02"}`)
	n.Release()
	if got := s.ended(id); got.State != "succeeded" || got.Items[0].State != "succeeded" || got.EndedAt == nil {
		t.Errorf("%+v", got)
	}
	if w := s.worker("pc-01"); len(w.Disks) != 1 || w.Disks[0].Backing != "/images/pc-01.ubuntu.img" {
		t.Errorf("%+v", w)
	}
	if list := decode[[]api.Task](t, s.want(200, "GET", "/tasks", "")); len(list) != 1 || list[0].ID != id {
		t.Errorf("%+v", list)
	}
}

func TestTheSynchronousFormWaitsForANodeWithTasksAndOneWithout(t *testing.T) {
	for _, tasks := range []bool{false, true} {
		s, n := siteWithNode(t)
		if tasks {
			n.OfferTasks()
		}
		n.Hold()
		done := make(chan answer, 1)
		go func() { done <- s.call("POST", "/workers/pc-01/luns/disk", newUbuntu) }()
		working(t, n)
		n.Release()
		if a := <-done; a.status != 201 || decode[api.Worker](t, a).Disks[0].IQN != ubuntuIQN {
			t.Errorf("tasks %v: %s", tasks, a)
		}
	}
}

func TestWhatANodesTaskFailsWithIsWhatTheNodeSaid(t *testing.T) {
	s, n := siteWithNode(t)
	n.OfferTasks()
	a := s.want(404, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"master","name":"no_tpl_.img"}`)
	if !strings.Contains(string(a.body), `"detail":{"agent":"st1","error":"master no_tpl_.img not found"},"code":"not_found"`) {
		t.Errorf("%s", a)
	}
	n.Refuse("tgtadm: out of memory")
	a = s.want(500, "POST", "/workers/pc-01/luns/disk", newUbuntu)
	if !strings.Contains(string(a.body), `{"agent":"st1","error":"tgtadm: out of memory"}`) {
		t.Errorf("%s", a)
	}
}

func TestACancelledTaskLeavesNothing(t *testing.T) {
	for _, tasks := range []bool{true, false} {
		s, n := siteWithNode(t)
		if tasks {
			n.OfferTasks()
		}
		n.Hold()
		id := s.async("/workers/pc-01/luns/disk", newUbuntu)
		working(t, n)
		s.noFileChanged("a cancelled task", func() {
			s.want(200, "DELETE", "/tasks/"+id, "")
			if !tasks {
				n.Release() // such a node cannot be stopped; what it made is taken back
			}
			if got := s.ended(id); got.State != "cancelled" || got.Items[0].State != "cancelled" || got.Items[0].Error != "cancelled before it was done" {
				t.Errorf("tasks %v: %+v", tasks, got)
			}
		})
		if len(n.Targets()) != 0 || slices.Contains(n.Files(), "pc-01.ubuntu.img") {
			t.Errorf("tasks %v: left %v %v", tasks, n.Targets(), n.Files())
		}
		n.Release()
		s.want(201, "POST", "/workers/pc-01/luns/disk", newUbuntu)
		if got := decode[api.Task](t, s.want(200, "DELETE", "/tasks/"+id, "")); got.State != "cancelled" {
			t.Errorf("cancelled twice: %+v", got)
		}
	}
}

func TestASynchronousCallerHearsThatItsTaskWasCancelled(t *testing.T) {
	s, n := siteWithNode(t)
	n.OfferTasks()
	n.Hold()
	done := make(chan answer, 1)
	go func() { done <- s.call("POST", "/workers/pc-01/luns/disk", newUbuntu) }()
	working(t, n)
	for _, k := range decode[[]api.Task](t, s.want(200, "GET", "/tasks", "")) {
		s.want(200, "DELETE", "/tasks/"+k.ID, "")
	}
	if a := <-done; a.status != 409 || decode[api.Error](t, a).Code != "cancelled" {
		t.Errorf("%s", a)
	}
}

func TestAStopInterruptsTasksAndLeavesNothingHalfMade(t *testing.T) {
	s, n := siteWithNode(t)
	n.OfferTasks()
	n.Hold()
	id := s.async("/workers/pc-01/luns/disk", newUbuntu)
	working(t, n)
	s.restart()
	if got := s.task(id); got.State != "interrupted" || got.Items[0].State != "interrupted" || got.EndedAt == nil {
		t.Errorf("%+v", got)
	}
	n.Release()
	if len(n.Targets()) != 0 || slices.Contains(n.Files(), "pc-01.ubuntu.img") {
		t.Errorf("left %v %v", n.Targets(), n.Files())
	}
	s.want(201, "POST", "/workers/pc-01/luns/disk", newUbuntu)
}

// TestAKilledDaemonsCopyIsClearedByTheNext kills a real process while its node
// copies. The node knows nothing of that and makes the disk.
func TestAKilledDaemonsCopyIsClearedByTheNext(t *testing.T) {
	n := nodetest.Start(t)
	n.OfferTasks()
	n.Hold()
	s := newSite(t)
	s.agents(map[string]*nodetest.Node{"st1": n})
	s.start()
	s.want(201, "POST", "/workers", `{"worker_id":"pc-01","mac":"52:54:00:00:00:01"}`)
	s.stop()
	p := play(t, self(t), "ipxe-cp", "IPXE_CP_HOME="+s.home, "IPXE_CP_LISTEN=127.0.0.1:0")
	s.url = "http://" + p.line(t)
	id := s.async("/workers/pc-01/luns/disk", newUbuntu)
	eventually(t, "the copy is noted", func() bool { return s.owes(ubuntuIQN) })
	p.kill(t)
	n.Release()
	eventually(t, "the node made the disk", func() bool { return len(n.Targets()) == 1 })
	http.DefaultClient.CloseIdleConnections()
	s.start()
	if got := s.task(id); got.State != "interrupted" || got.Items[0].Error != "the control plane stopped before this ended" {
		t.Errorf("%+v", got)
	}
	eventually(t, "it is cleared", func() bool { return len(n.Targets()) == 0 && !slices.Contains(n.Files(), "pc-01.ubuntu.img") })
	eventually(t, "it is forgotten", func() bool { return !s.owes(ubuntuIQN) })
	s.want(201, "POST", "/workers/pc-01/luns/disk", newUbuntu)
}

func TestANodeThatForgotItsTaskOrFellSilentFailsIt(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t)
	n.OfferTasks()
	n.Hold()
	s := newSite(t, "IPXE_CP_AGENT_TIMEOUT", patience)
	s.agents(map[string]*nodetest.Node{"st1": n})
	s.start()
	s.want(201, "POST", "/workers", `{"worker_id":"pc-01","mac":"52:54:00:00:00:01"}`)
	id := s.async("/workers/pc-01/luns/disk", newUbuntu)
	working(t, n)
	n.Forget()
	want := "agent st1: it no longer knows the copy it had begun; it was restarted"
	if got := s.ended(id); got.State != "failed" || got.Items[0].Error != want {
		t.Errorf("%+v", got)
	}
	id = s.async("/workers/pc-01/luns/disk", newUbuntu)
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	n.Answer("GET /tasks/copy-2", func(http.ResponseWriter, *http.Request) { <-hang })
	if got := s.ended(id); got.State != "failed" || got.Items[0].Error != "agent st1: no answer within "+patience {
		t.Errorf("%+v", got)
	}
	eventually(t, "the silent node's copy is cancelled", func() bool { now, _ := n.Busy(); return now == 0 })
}

func TestTasksAreRefusedLikeEverythingElse(t *testing.T) {
	s := newSite(t, "IPXE_CP_TOKEN", "full", "IPXE_CP_VIEW_TOKEN", "view").start()
	for _, c := range []struct {
		method, path, token string
		status              int
	}{
		{"GET", "/tasks", "", 401}, {"GET", "/tasks", "view", 200}, {"GET", "/tasks/x", "full", 404},
		{"DELETE", "/tasks/x", "view", 403}, {"DELETE", "/tasks/x", "full", 404}, {"GET", "/events", "", 401},
	} {
		if a := s.call(c.method, c.path, "", "Authorization", "Bearer "+c.token); a.status != c.status {
			t.Errorf("%s %s with %q: %s", c.method, c.path, c.token, a)
		}
	}
}
