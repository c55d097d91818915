package controlplane

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

// hall is a site of n registered workers and some nodes, st1 and so on.
func hall(t *testing.T, workers, nodes int, env ...string) (*site, []*nodetest.Node) {
	t.Helper()
	s := newSite(t, env...)
	s.ledgerOf(workers)
	list, byID := make([]*nodetest.Node, nodes), map[string]*nodetest.Node{}
	for i := range list {
		list[i] = nodetest.Start(t)
		byID[fmt.Sprintf("st%d", i+1)] = list[i]
	}
	s.agents(byID)
	return s.start(), list
}

// disks is the body of a batch of ubuntu disks for the workers 1 to n, in turn
// on so many nodes.
func disks(n, nodes int) string {
	in := api.CreateDisks{Type: "master", OS: "ubuntu", Name: "master_tpl_1.img", Targets: []api.BatchTarget{}}
	for i := range n {
		in.Targets = append(in.Targets, api.BatchTarget{WorkerID: fmt.Sprintf("worker-%02d", i+1), Agent: fmt.Sprintf("st%d", i%nodes+1)})
	}
	b, _ := json.Marshal(in) // it can be encoded
	return string(b)
}

// commits is how often the ledger was written.
func (s *site) commits() (n int) {
	s.t.Helper()
	for sc := bufio.NewScanner(strings.NewReader(string(s.want(200, "GET", "/metrics", "").body))); sc.Scan(); {
		if number, ok := strings.CutPrefix(sc.Text(), "ipxe_cp_commit_changes_count "); ok {
			_, _ = fmt.Sscan(number, &n)
		}
	}
	return n
}

func TestABatchSaysOfEveryItemWhatBecameOfItInTheOrderAsked(t *testing.T) {
	s, nodes := hall(t, 9, 2)
	s.want(201, "POST", "/workers/worker-04/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)
	nodes[1].Put("worker-06.ubuntu.img")
	got := decode[api.DisksCreated](t, s.want(200, "POST", "/workers/luns/disk/batch", `{"type":"empty","os":"Ubuntu","size":"1G","targets":[
		{"worker_id":"WORKER-03","agent":"ST2"}, {"worker_id":"no such","agent":"st1"}, {"worker_id":"worker-04","agent":"st1"},
		{"worker_id":"worker-01","agent":"st1"}, {"worker_id":"worker-03","agent":"st2"}, {"worker_id":"worker-03","agent":"st1"},
		{"worker_id":"nobody","agent":"st1"}, {"worker_id":"worker-06","agent":"st2"}, {"worker_id":"worker-07","agent":"st9"},
		{"worker_id":"worker-08","agent":""}, {"worker_id":"worker-02","agent":"st1"}]}`))
	const base = "iqn.2026-07.com.controller:"
	want := api.DisksCreated{
		Succeeded: []api.BatchDisk{{WorkerID: "worker-03", Agent: "st2", IQN: base + "worker-03.ubuntu"},
			{WorkerID: "worker-01", Agent: "st1", IQN: base + "worker-01.ubuntu"}, {WorkerID: "worker-02", Agent: "st1", IQN: base + "worker-02.ubuntu"}},
		Skipped: []api.BatchSkipped{{WorkerID: "worker-04", Reason: "worker worker-04 already has a disk for ubuntu"}},
		Failed: []api.BatchFailed{
			{WorkerID: "no such", Agent: "st1", Error: `worker id "no such" is not made of a-z, 0-9, '.', '_' and '-', starting with a letter or digit, at most 63`},
			{WorkerID: "worker-03", Agent: "st1", Error: "worker worker-03 is named twice, before this with agent st2"},
			{WorkerID: "nobody", Agent: "st1", Error: "worker nobody not found"},
			{WorkerID: "worker-06", Agent: "st2", Error: "agent st2: file worker-06.ubuntu.img exists"},
			{WorkerID: "worker-07", Agent: "st9", Error: "agent st9 not found"},
			{WorkerID: "worker-08", Agent: "", Error: `agent id "" is not made of a-z, 0-9, '.', '_' and '-', starting with a letter or digit, at most 63`},
		},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if w := s.worker("worker-03"); w.DefaultOS != "ubuntu" || w.State != "ready" || w.Disks[0].Agent != "st2" {
		t.Errorf("%+v", w)
	}
	if w := s.worker("worker-04"); w.DefaultOS != "" {
		t.Errorf("a skipped worker was changed: %+v", w)
	}
}

func TestABatchThatIsWrongAsAWholeIsRefused(t *testing.T) {
	s, nodes := hall(t, 1, 1)
	for body, want := range map[string]string{
		`{"type":"empty","os":"ubuntu","targets":[]}`:                          `size "" is not a number with an optional K, M, G or T`,
		`{"type":"empty","os":"ubuntu","size":"1G"}`:                           "targets is missing; it must be a list",
		`{"type":"empty","os":"ubuntu","size":"1G","targets":{}}`:              "targets must be a list, not a JSON object",
		`{"type":"empty","os":"beos","size":"1G","targets":[]}`:                `os "beos" is not one of windows, ubuntu, debian, centos, esxi`,
		`{"type":"master","os":"ubuntu","name":"../a_tpl_.img","targets":[]}`:  `master "../a_tpl_.img" starts with '.' or '-'`,
		`{"type":"master","os":"ubuntu","name":"a_tpl_.img","targets":"all!"}`: "targets must be a list, not a JSON string",
	} {
		if a := s.want(400, "POST", "/workers/luns/disk/batch", body); decode[api.Error](t, a).Detail != want {
			t.Errorf("%s: %s", body, a)
		}
	}
	s.want(400, "POST", "/workers/delete/batch", `{}`)
	if got := string(s.want(200, "POST", "/workers/luns/disk/batch", disks(0, 1)).body); got != `{"succeeded":[],"skipped":[],"failed":[]}` {
		t.Errorf("%s", got)
	}
	if len(nodes[0].Calls()) != 0 {
		t.Errorf("the node was asked: %v", nodes[0].Calls())
	}
}

func TestTwoHundredDisksOnFourNodesAreBoundedAtEachAndEnteredTogether(t *testing.T) {
	const n, nodes, width = 200, 4, 3
	s, list := hall(t, n, nodes, "IPXE_CP_AGENT_PARALLEL", "3")
	for _, node := range list {
		node.Hold()
	}
	list[0].OfferTasks()
	before := s.commits()
	done := make(chan answer, 1)
	go func() { done <- s.call("POST", "/workers/luns/disk/batch", disks(n, nodes)) }()
	eventually(t, "all nodes are at work as far as they may", func() bool {
		return !slices.ContainsFunc(list, func(node *nodetest.Node) bool { now, _ := node.Busy(); return now != width })
	})
	for _, node := range list {
		node.Release()
	}
	a := <-done
	if got := decode[api.DisksCreated](t, a); a.status != 200 || len(got.Succeeded) != n || got.Succeeded[n-1].WorkerID != "worker-200" {
		t.Fatalf("%s", a)
	}
	for i, node := range list {
		if _, most := node.Busy(); most != width || len(node.Targets()) != n/nodes {
			t.Errorf("node %d: %d at once, %d targets", i+1, most, len(node.Targets()))
		}
	}
	commits := s.commits() - before
	t.Logf("%d disks, %d commits", n, commits)
	if commits < 1 || commits > n/5 {
		t.Errorf("%d commits", commits)
	}
	again := decode[api.DisksCreated](t, s.want(200, "POST", "/workers/luns/disk/batch", disks(n, nodes)))
	if len(again.Skipped) != n || s.commits()-before != commits {
		t.Errorf("repeated: %d skipped of %d", len(again.Skipped), n)
	}
	s.restart()
	if w := s.worker("worker-200"); w.DefaultOS != "ubuntu" || len(w.Disks) != 1 {
		t.Errorf("%+v", w)
	}
}

func TestAHungNodeCostsABatchItsTimeOutOnce(t *testing.T) {
	t.Parallel()
	s, list := hall(t, 60, 3, "IPXE_CP_AGENT_TIMEOUT", patience, "IPXE_CP_CLONE_TIMEOUT", patience, "IPXE_CP_AGENT_PARALLEL", "3")
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	list[1].Answer("GET /capabilities", func(http.ResponseWriter, *http.Request) { <-hang })
	list[2].Answer("POST /lun/disk", func(http.ResponseWriter, *http.Request) { <-hang })
	got := decode[api.DisksCreated](t, s.want(200, "POST", "/workers/luns/disk/batch", disks(60, 3)))
	if len(got.Succeeded) != 20 || len(got.Failed) != 40 || got.Failed[0].Error != "agent st2: no answer within "+patience {
		t.Errorf("%+v", got)
	}
	for node, call := range map[*nodetest.Node]string{list[1]: "GET /capabilities", list[2]: "POST /lun/disk"} {
		asked := 0
		for _, c := range node.Calls() {
			if c == call {
				asked++
			}
		}
		if asked < 1 || asked > 3 { // all of them at once
			t.Errorf("%s was asked %d times", call, asked)
		}
	}
	if now, _ := list[0].Busy(); now != 0 || len(list[0].Targets()) != 20 {
		t.Errorf("%v", list[0].Targets())
	}
}

func TestACancelledBatchKeepsWhatIsDone(t *testing.T) {
	s, list := hall(t, 12, 2, "IPXE_CP_AGENT_PARALLEL", "2")
	for _, node := range list {
		node.OfferTasks()
	}
	list[1].Hold()
	id := s.async("/workers/luns/disk/batch", disks(12, 2))
	eventually(t, "the first node is done, the second at work", func() bool {
		now, _ := list[1].Busy()
		return now == 2 && strings.Count(string(s.call("GET", "/tasks/"+id, "").body), `"succeeded"`) == 6
	})
	s.want(200, "DELETE", "/tasks/"+id, "")
	got := s.ended(id)
	if got.Kind != "disk.create.batch" || got.State != "cancelled" || len(got.Items) != 12 {
		t.Errorf("%+v", got)
	}
	for i, it := range got.Items {
		if want := []string{"succeeded", "cancelled"}[i%2]; it.State != want || it.WorkerID != fmt.Sprintf("worker-%02d", i+1) {
			t.Errorf("%+v", it)
		}
	}
	if len(list[0].Targets()) != 6 || len(list[1].Targets()) != 0 || slices.Contains(list[1].Files(), "worker-02.ubuntu.img") {
		t.Errorf("%v %v", list[0].Targets(), list[1].Files())
	}
	list[1].Release()
	if again := decode[api.DisksCreated](t, s.want(200, "POST", "/workers/luns/disk/batch", disks(12, 2))); len(again.Skipped) != 6 || len(again.Succeeded) != 6 {
		t.Errorf("repeated: %+v", again)
	}
}
