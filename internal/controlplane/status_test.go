package controlplane

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

func (s *site) status(id string) api.WorkerStatus {
	s.t.Helper()
	return decode[api.WorkerStatus](s.t, s.want(200, "GET", "/workers/"+id+"/status", ""))
}

func TestStatusTellsWhatReallyStands(t *testing.T) {
	s, n := siteWithNode(t)
	const bare = `"actual":{"dnsmasq":{"hostname":"pc-01","mac":"00:0c:29:b9:8b:2d"},"disks":[],"cd":null}}`
	if a := s.want(200, "GET", "/workers/pc-01/status", ""); !strings.HasSuffix(string(a.body), bare) {
		t.Errorf("%s", a)
	}
	for _, os := range []string{"ubuntu", "debian"} {
		s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"`+os+`","type":"empty","size":"1G"}`)
	}
	s.want(201, "POST", "/workers/pc-01/luns/cd", `{"iso":"win.iso"}`)
	n.Drop(iqnBase + "pc-01.debian")
	n.Use(ubuntuIQN, iqnBase+"pc-01")
	calls := len(n.Calls())

	got := s.status("pc-01")
	if asked := n.Calls()[calls:]; !slices.Equal(asked, []string{"GET /lun"}) {
		t.Errorf("one node was asked %v", asked)
	}
	if got.Worker.WorkerID != "pc-01" || len(got.Actual.Disks) != 2 || got.Actual.CD == nil {
		t.Fatalf("%+v", got)
	}
	ubuntu, debian, cd := got.Actual.Disks[0], got.Actual.Disks[1], got.Actual.CD
	if ubuntu.OS != "ubuntu" || !ubuntu.Exists || ubuntu.Target == nil || ubuntu.Error != "" ||
		len(ubuntu.Sessions) != 1 || ubuntu.Sessions[0].Initiator != iqnBase+"pc-01" || *ubuntu.Sessions[0].Address != "192.168.80.50" {
		t.Errorf("%+v", ubuntu)
	}
	if debian.OS != "debian" || debian.Exists || debian.Target != nil || debian.Error != "" {
		t.Errorf("%+v", debian)
	}
	if !cd.Exists || cd.IQN != cdIQN || cd.Sessions == nil || len(cd.Sessions) != 0 {
		t.Errorf("%+v", cd)
	}
	s.refuses([]refusal{
		{"GET", "/workers/nope/status", "", 404, "not_found", "worker nope not found"},
		{"GET", "/workers/no%20pe/status", "", 400, "invalid", `worker id "no pe" is not made of a-z, 0-9, '.', '_' and '-', starting with a letter or digit, at most 63`},
	}, n)
}

func TestADeadNodeIsAnErrorOnItsRowAndDelaysNoOther(t *testing.T) {
	t.Parallel()
	a, b := nodetest.Start(t), nodetest.Start(t)
	s := newSite(t, "IPXE_CP_AGENT_TIMEOUT", patience)
	s.agents(map[string]*nodetest.Node{"st1": a, "st2": b, "st3": nodetest.Start(t)})
	s.start()
	s.want(201, "POST", "/workers", `{"worker_id":"pc-01","mac":"52:54:00:00:00:01"}`)
	for os, at := range map[string]string{"ubuntu": "st1", "debian": "st2", "centos": "st3", "esxi": "st2"} {
		s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"`+os+`","type":"empty","size":"1G","disk_agent":"`+at+`"}`)
	}
	b.Answer("GET /lun", nodetest.Hang)
	s.file("config/agents.yml", strings.ReplaceAll(s.read("config/agents.yml"), "  st3:", "  other:"))
	eventually(t, "the edit is seen", func() bool {
		return strings.Contains(string(s.want(200, "GET", "/agents?live=false", "").body), "other")
	})

	start := time.Now()
	got := s.status("pc-01")
	if took := time.Since(start); took > 20*time.Second { // 5 of them are the node's
		t.Errorf("it took %s", took)
	}
	for _, d := range got.Actual.Disks {
		want := map[string]string{"st1": "", "st2": "agent st2: no answer within " + patience, "st3": "agent st3 is not in the inventory"}[d.Agent]
		if d.Error != want || d.Exists != (want == "") || (d.Target == nil) != (want != "") || d.Sessions != nil && want != "" {
			t.Errorf("%+v", d)
		}
	}
}

func TestAnUnboundWorkersStatusHasNoMAC(t *testing.T) {
	s := newSite(t)
	s.file("state/workers.yml", "workers:\n  pc-01: {hostname: pc-01, arch: x86_64, state: registered}\n")
	s.start()
	if got := s.status("pc-01"); got.Actual.Dnsmasq.Hostname != "pc-01" || got.Actual.Dnsmasq.MAC != nil {
		t.Errorf("%+v", got)
	}
}

// A hung node must cost nobody but its own callers: not a machine that boots,
// not a registration, not another node's disks.
func TestAHungNodeCostsOthersNothing(t *testing.T) {
	hung, good := nodetest.Start(t), nodetest.Start(t)
	s := newSite(t, "IPXE_CP_AGENT_TIMEOUT", "1m")
	s.agents(map[string]*nodetest.Node{"hung": hung, "good": good})
	s.start()
	s.want(201, "POST", "/workers", `{"worker_id":"pc-01","mac":"52:54:00:00:00:01"}`)
	hung.Hold()
	for _, read := range []string{"GET /lun", "GET /masters"} {
		hung.Answer(read, nodetest.Hang)
	}
	stuck := make(chan answer, 1)
	go func() { stuck <- s.call("POST", "/agents/hung/luns/cd", `{"iso":"win.iso"}`) }()
	eventually(t, "the hung node was asked", func() bool { return slices.Contains(hung.Calls(), "POST /lun/cd") })

	start := time.Now()
	s.boot("mac=52:54:00:00:00:01")
	s.want(201, "POST", "/workers", `{"worker_id":"pc-02","mac":"52:54:00:00:00:02"}`)
	s.want(201, "POST", "/workers/pc-02/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G","disk_agent":"good"}`)
	s.want(200, "GET", "/workers/pc-02/status", "")
	s.want(200, "PUT", "/agents/hung", `{"base_url":"`+hung.URL+`","role":{"disk":true,"cd":true},"enabled":false}`)
	s.want(200, "GET", "/masters", "")
	s.want(200, "GET", "/agents", "")
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("beside a hung node all of that took %s", took)
	}
	hung.Release()
	if a := <-stuck; a.status != 201 {
		t.Errorf("%s", a)
	}
}
