package controlplane

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

// neighbours is a site with a node that goes wrong, bad, and one that is well.
// pc-01 has a disk and a CD on bad, pc-02 nothing, pc-03 what good gives it.
type neighbours struct {
	*site
	bad, good *nodetest.Node
}

func neighbouring(t *testing.T) *neighbours {
	t.Helper()
	limit := patience
	if everyFault {
		limit = "2s" // a wait each in much of the matrix
	}
	s := &neighbours{newSite(t, "IPXE_CP_AGENT_TIMEOUT", limit, "IPXE_CP_CLONE_TIMEOUT", limit), nodetest.Start(t), nodetest.Start(t)}
	s.bad.OfferTasks()
	s.file("config/agents.yml", fmt.Sprintf("agents:\n"+
		"  bad: {base_url: %q, token: %q, role: {disk: true, cd: true}, tags: [stgt], enabled: true}\n"+
		"  good: {base_url: %q, token: %q, role: {disk: true, cd: false}, tags: [stgt], enabled: true}\n",
		s.bad.URL, s.bad.Token, s.good.URL, s.good.Token))
	s.start()
	for i := 1; i <= 3; i++ {
		s.want(201, "POST", "/workers", fmt.Sprintf(`{"worker_id":"pc-0%d","mac":"52:54:00:00:00:0%d"}`, i, i))
	}
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G","disk_agent":"bad"}`)
	s.want(201, "POST", "/workers/pc-01/luns/cd", `{"iso":"win.iso","cd_agent":"bad"}`)
	return s
}

// affected is one thing a person asks for that needs the node bad.
type affected struct {
	asks   []string // the node's calls that may go wrong in it
	method string
	path   string
	body   string
	fails  int      // the status that tells of it; 0: any from 400 on
	done   int      // the status when the node is well again; 0: it changes nothing
	undo   []string // what brings the site back: method, path, body, status
}

const (
	onBad   = `{"os":"debian","type":"master","name":"master_tpl_1.img","disk_agent":"bad"}`
	rawIQN  = "iqn.2026-07.com.controller:raw"
	pc1Disk = `{"os":"ubuntu","type":"empty","size":"1G","disk_agent":"bad"}`
)

// whatAgentsAreAskedFor is every way in which the control plane calls a node.
var whatAgentsAreAskedFor = map[string]affected{
	"the live list": {asks: []string{"GET /healthz", "GET /capabilities"}, method: "GET", path: "/agents", fails: 200},
	"a probe":       {asks: []string{"GET /capabilities"}, method: "POST", path: "/agents/probe", body: `{"base_url":"BAD","agent_id":"bad"}`, fails: 502},
	"status":        {asks: []string{"GET /lun"}, method: "GET", path: "/workers/pc-01/status", fails: 200},
	"the targets":   {asks: []string{"GET /lun"}, method: "GET", path: "/agents/bad/luns"},
	"sessions":      {asks: []string{"GET /lun"}, method: "GET", path: "/agents/bad/sessions"},
	"masters":       {asks: []string{"GET /masters"}, method: "GET", path: "/masters", fails: 200},
	"a comparison":  {asks: []string{"GET /capabilities", "GET /lun"}, method: "GET", path: "/reconcile", fails: 200},
	"a disk": {asks: []string{"GET /capabilities", "POST /lun/disk", "GET /tasks/"}, method: "POST", path: "/workers/pc-02/luns/disk", body: onBad,
		done: 201, undo: []string{"DELETE", "/workers/pc-02/luns/disk/debian?delete_file=true", "", "200"}},
	"a disk as a task": {asks: []string{"GET /capabilities", "POST /lun/disk", "GET /tasks/"}, method: "TASK", path: "/workers/pc-02/luns/disk", body: onBad,
		fails: 200, done: 202, undo: []string{"DELETE", "/workers/pc-02/luns/disk/debian?delete_file=true", "", "200"}},
	"a batch": {asks: []string{"GET /capabilities", "POST /lun/disk", "GET /tasks/"}, method: "POST", path: "/workers/luns/disk/batch",
		body:  `{"type":"master","os":"debian","name":"master_tpl_1.img","targets":[{"worker_id":"pc-02","agent":"bad"}]}`,
		fails: 200, done: 200, undo: []string{"DELETE", "/workers/pc-02/luns/disk/debian?delete_file=true", "", "200"}},
	"the deletion of a disk": {asks: []string{"DELETE /lun"}, method: "DELETE", path: "/workers/pc-01/luns/disk/ubuntu?delete_file=true",
		done: 200, undo: []string{"POST", "/workers/pc-01/luns/disk", pc1Disk, "201"}},
	"a CD": {asks: []string{"GET /capabilities", "POST /lun/cd"}, method: "POST", path: "/workers/pc-02/luns/cd", body: `{"iso":"win.iso","cd_agent":"bad"}`,
		done: 201, undo: []string{"DELETE", "/workers/pc-02/luns/cd", "", "200"}},
	"the detachment of a CD": {asks: []string{"DELETE /lun"}, method: "DELETE", path: "/workers/pc-01/luns/cd",
		done: 200, undo: []string{"POST", "/workers/pc-01/luns/cd", `{"iso":"win.iso"}`, "201"}},
	"a registration with a CD": {asks: []string{"GET /capabilities", "POST /lun/cd"}, method: "POST", path: "/workers",
		body: `{"worker_id":"pc-09","mac":"52:54:00:00:00:09","windows_iso":"win.iso"}`,
		done: 201, undo: []string{"DELETE", "/workers/pc-09?delete_disk=true", "", "200"}},
	"the deletion of a worker": {asks: []string{"DELETE /lun"}, method: "DELETE", path: "/workers/pc-01?delete_disk=true"},
	"the deletion of many": {asks: []string{"DELETE /lun"}, method: "POST", path: "/workers/delete/batch",
		body: `{"worker_ids":["pc-01"],"delete_disk":true}`, fails: 200},
	"a target": {asks: []string{"POST /lun/disk"}, method: "POST", path: "/agents/bad/luns/disk", body: `{"iqn":"` + rawIQN + `","size":"1G"}`,
		done: 201, undo: []string{"DELETE", "/agents/bad/luns?delete_file=true&iqn=" + rawIQN, "", "200"}},
	"a CD's target": {asks: []string{"POST /lun/cd"}, method: "POST", path: "/agents/bad/luns/cd", body: `{"iso":"win.iso"}`,
		done: 201, undo: []string{"DELETE", "/agents/bad/luns?iqn=iqn.2026-07.com.controller:win.iso", "", "200"}},
	"the deletion of a target": {asks: []string{"DELETE /lun"}, method: "DELETE", path: "/agents/bad/luns?iqn=" + ubuntuIQN},
	"a scan":                   {asks: []string{"POST /lun/scan"}, method: "POST", path: "/agents/bad/luns/scan", done: 200},
}

// TestWhateverANodeDoesIsSaidInTimeAndHarmsNobody is the matrix of faults and
// calls: of some faults among the quick tests, of all in the integration tests.
func TestWhateverANodeDoesIsSaidInTimeAndHarmsNobody(t *testing.T) {
	if !everyFault {
		t.Parallel() // it waits most of the time
	}
	var led atomic.Int64 // calls that a redirect brought elsewhere
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { led.Add(1) }))
	faults := nodetest.Faults(elsewhere.URL + "/capabilities")
	t.Cleanup(func() {
		elsewhere.Close()
		if n := led.Load(); n != 0 {
			t.Errorf("%d redirects were followed", n)
		}
	})
	tried := slices.Sorted(maps.Keys(faults))
	if !everyFault {
		tried = []string{"closes half-way", "fails with a page", "nests", "redirects elsewhere", "says null", "refuses with 2 GiB"}
	}
	sideBySide(t, tried, func(t *testing.T, fault string) {
		s := neighbouring(t)
		defer s.othersGoOn()()
		for _, what := range slices.Sorted(maps.Keys(whatAgentsAreAskedFor)) {
			c := whatAgentsAreAskedFor[what]
			for _, ask := range c.asks {
				s.suffers(what+", "+ask, c, func() { s.bad.Answer(ask, faults[fault]) }, func() { s.bad.Answer(ask, nil) })
			}
		}
	})
}

// sideBySide runs more tests at once than there are processors: they wait most
// of the time.
func sideBySide(t *testing.T, names []string, test func(t *testing.T, name string)) {
	var wg sync.WaitGroup
	turns := make(chan struct{}, 8)
	for _, name := range names {
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			t.Run(name, func(t *testing.T) { test(t, name) })
		})
	}
	wg.Wait()
}

// TestANodeThatTakesNoConnectionIsSaidInTime is the same of an address where
// nobody listens, and of one where a connection is never accepted.
func TestANodeThatTakesNoConnectionIsSaidInTime(t *testing.T) {
	ways := []string{"is not there"}
	if everyFault {
		ways = append(ways, "never accepts")
	}
	sideBySide(t, ways, func(t *testing.T, name string) {
		deaf, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer deaf.Close()
		url := "http://" + deaf.Addr().String()
		if name == "is not there" {
			url = "http://127.0.0.1:1"
		}
		s := neighbouring(t)
		defer s.othersGoOn()()
		well := s.bad.URL
		move := func(url string) {
			s.bad.URL = url
			s.want(200, "PUT", "/agents/bad", fmt.Sprintf(`{"base_url":%q,"role":{"disk":true,"cd":true},"tags":["stgt"]}`, url))
		}
		for _, what := range slices.Sorted(maps.Keys(whatAgentsAreAskedFor)) {
			s.suffers(what, whatAgentsAreAskedFor[what], func() { move(url) }, func() { move(well) })
		}
	})
}

// suffers makes the node go wrong, asks, and looks at what came of it.
func (s *neighbours) suffers(what string, c affected, wrong, well func()) {
	s.t.Helper()
	wrong()
	before := s.stands()
	start := time.Now()
	a, words := s.ask(c)
	took := time.Since(start)
	if !told(a, c, words) {
		s.t.Errorf("%s: %s %s says %.600s", what, c.method, c.path, a)
	}
	if took > 30*time.Second {
		s.t.Errorf("%s: it took %s", what, took)
	}
	if after := s.stands(); before != after {
		s.t.Errorf("%s: changed\n%s\n--- to ---\n%s", what, before, after)
	}
	well()
	if c.done == 0 {
		return
	}
	eventually(s.t, what+" succeeds when the node is well", func() bool {
		a, words = s.ask(c)
		return a.status == c.done && words == "" || s.t.Failed()
	})
	if len(c.undo) > 0 {
		eventually(s.t, what+" is undone", func() bool {
			return fmt.Sprint(s.call(c.undo[0], c.undo[1], c.undo[2]).status) == c.undo[3]
		})
	}
}

// stands is what the ledger says of all but pc-03, and the bindings.
func (s *neighbours) stands() string {
	s.t.Helper()
	var b strings.Builder
	for _, w := range s.workers() {
		if w.WorkerID != "pc-03" {
			fmt.Fprintf(&b, "%s %s %v %v\n", w.WorkerID, w.State, w.Disks, w.CD)
		}
	}
	return b.String() + s.read("dnsmasq/dhcp-hosts.conf") + s.read("config/agents.yml")
}

// ask makes the call and returns what it tells of a fault; a task is awaited.
func (s *neighbours) ask(c affected) (answer, string) {
	s.t.Helper()
	body := strings.Replace(c.body, "BAD", s.bad.URL, 1)
	if c.method == "TASK" {
		a := s.call("POST", c.path, body, "Prefer", "respond-async")
		if a.status != 202 {
			return a, string(a.body)
		}
		t := s.ended(decode[api.TaskStarted](s.t, a).TaskID)
		if t.State == "succeeded" {
			return a, ""
		}
		a.status, a.body = 200, []byte(t.Items[0].Error)
		return a, t.Items[0].Error
	}
	a := s.call(c.method, c.path, body)
	if a.status < 400 && !strings.Contains(string(a.body), `"error"`) && !strings.Contains(string(a.body), "agent_unreachable") {
		return a, ""
	}
	return a, string(a.body)
}

// told reports whether the answer names the node and no other one.
func told(a answer, c affected, words string) bool {
	if c.fails != 0 && a.status != c.fails || c.fails == 0 && a.status < 400 {
		return false
	}
	if a.status >= 400 {
		var e struct {
			Detail    api.AgentError
			Code      string
			RequestID string `json:"request_id"`
		}
		return json.Unmarshal(a.body, &e) == nil && e.Detail.Agent == "bad" && e.Detail.Error != "" && e.Code != "" && e.RequestID != "" || strings.Contains(words, "agent bad: ")
	}
	return strings.Contains(words, "agent bad: ") && !strings.Contains(words, "agent good: ")
}

// othersGoOn has a machine of the other node live its life until the caller
// ends it.
func (s *neighbours) othersGoOn() (end func()) {
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			s.live()
			select {
			case <-stop:
				return
			case <-time.After(500 * time.Millisecond):
			}
		}
	}()
	return func() { close(stop); <-done }
}

// live is a boot, and a disk that is made and deleted.
func (s *neighbours) live() {
	const iqn = "iqn.2026-07.com.controller:pc-03.centos"
	a := s.call("POST", "/workers/pc-03/luns/disk", `{"os":"centos","type":"empty","size":"1G","disk_agent":"good"}`)
	script := s.call("GET", "/boot-vars?mac=52:54:00:00:00:03", "")
	if a.status != 201 || script.status != 200 || !strings.Contains(string(script.body), iqn) {
		s.t.Errorf("meanwhile, on the other node: %s\n%s", a, script)
	}
	if a := s.call("DELETE", "/workers/pc-03/luns/disk/centos?delete_file=true&ignore_missing_target=true", ""); a.status != 200 {
		s.t.Errorf("meanwhile, on the other node: %s", a)
	}
}
