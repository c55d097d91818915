package controlplane

import (
	"slices"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

const cdIQN = iqnBase + "pc-01.windows.iso"

func TestACDIsAttachedAndDetached(t *testing.T) {
	s, n := siteWithNode(t)
	want := api.CD{Agent: "st1", IQN: cdIQN, ISO: "win.iso", Backing: "/images/win.iso"}
	w := decode[api.Worker](t, s.want(201, "POST", "/workers/pc-01/luns/cd", `{"iso":"win.iso"}`))
	if w.State != "installing" || w.CD == nil || *w.CD != want {
		t.Errorf("%+v", w)
	}
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"windows","type":"empty","size":"1G"}`)
	if w := s.worker("pc-01"); w.State != "installing" {
		t.Errorf("%+v", w)
	}
	s.refuses([]refusal{
		{"POST", "/workers/pc-01/luns/cd", `{"iso":"win.iso"}`, 409, "exists", "worker pc-01 already has a CD, win.iso"},
		{"DELETE", "/agents/st1", ``, 409, "conflict", "agent st1 holds a disk or CD of pc-01"},
	}, n)
	w = decode[api.Worker](t, s.want(200, "DELETE", "/workers/pc-01/luns/cd", ""))
	if w.State != "ready" || w.CD != nil || !slices.Contains(n.Files(), "win.iso") || slices.Contains(n.Targets(), cdIQN) {
		t.Errorf("%+v %v", w, n.Targets())
	}
	n.Put("ubuntu.iso")
	w = decode[api.Worker](t, s.want(201, "POST", "/workers/pc-01/luns/cd", `{"iso":"ubuntu.iso","cd_agent":"ST1"}`))
	if w.CD == nil || w.CD.IQN != cdIQN || w.CD.ISO != "ubuntu.iso" {
		t.Errorf("%+v", w)
	}
	s.want(200, "DELETE", "/workers/pc-01/luns/disk/windows?delete_file=true", "")
	if w = decode[api.Worker](t, s.want(200, "DELETE", "/workers/pc-01/luns/cd", "")); w.State != "registered" {
		t.Errorf("%+v", w)
	}
	var got []string
	for _, o := range s.operations("since=0") {
		if strings.HasPrefix(o.Op, "worker.cd.") {
			got = append(got, o.Op+" "+o.Status+" "+o.Agent)
		}
	}
	half := []string{"worker.cd.attach started st1", "worker.cd.attach succeeded st1", "worker.cd.detach started st1", "worker.cd.detach succeeded st1"}
	if !slices.Equal(got, slices.Concat(half, half)) {
		t.Errorf("%v", got)
	}
}

func TestTheCDOfARegistrationIsDetachedAndAttachedAgain(t *testing.T) {
	n := nodetest.Start(t)
	s := newSite(t)
	s.agents(map[string]*nodetest.Node{"st1": n})
	s.start()
	first := decode[api.Worker](t, s.want(201, "POST", "/workers", `{"worker_id":"pc-01","mac":"52:54:00:00:00:01","windows_iso":"win.iso"}`))
	s.want(200, "DELETE", "/workers/pc-01/luns/cd", "")
	again := decode[api.Worker](t, s.want(201, "POST", "/workers/pc-01/luns/cd", `{"iso":"win.iso"}`))
	if first.CD == nil || again.CD == nil || *first.CD != *again.CD || again.State != "installing" {
		t.Errorf("%+v\n%+v", first.CD, again.CD)
	}
}

func TestEveryRefusedCDHasItsSentenceAndChangesNothing(t *testing.T) {
	s, n := refusalSite(t)
	const path = "/workers/pc-01/luns/cd"
	s.refuses([]refusal{
		{"POST", path, `{}`, 400, "invalid", `iso "" is empty`},
		{"POST", path, `{"iso":"../win.iso"}`, 400, "invalid", `iso "../win.iso" starts with '.' or '-'`},
		{"POST", path, `{"iso":"win.img"}`, 400, "invalid", `iso "win.img" does not end in .iso`},
		{"POST", path, `{"iso":"win.iso","cd_agent":"nope"}`, 404, "not_found", `agent nope not found`},
		{"POST", path, `{"iso":"win.iso","cd_agent":"no pe"}`, 400, "invalid", `agent id "no pe" is not made of a-z, 0-9, '.', '_' and '-', starting with a letter or digit, at most 63`},
		{"POST", path, `{"iso":"win.iso","cd_agent":"off"}`, 400, "invalid", `agent off is disabled`},
		{"POST", path, `{"iso":"win.iso","cd_agent":"gone"}`, 400, "invalid", `agent gone is not configured for cd role`},
		{"POST", path, `{"iso":"win.iso","cd_agent":"cdonly"}`, 503, "agent_unreachable", api.AgentError{Agent: "cdonly", Error: "unreachable: connect: connection refused"}},
		{"POST", "/workers/nope/luns/cd", `{"iso":"win.iso"}`, 404, "not_found", `worker nope not found`},
		{"DELETE", path, ``, 404, "not_found", `worker pc-01 has no CD`},
		{"DELETE", "/workers/nope/luns/cd", ``, 404, "not_found", `worker nope not found`},
		{"DELETE", path + "?force=2", ``, 400, "invalid", `force="2" is neither true nor false`},
		{"DELETE", path + "?delete_file=true", ``, 400, "invalid", `delete_file=true is given, but an ISO is the site's and stays`},
	}, n)
	s.noFileChanged("a missing ISO", func() {
		refusal{status: 404, code: "not_found", detail: api.AgentError{Agent: "st1", Error: "iso none.iso not found"}}.
			check(t, s.call("POST", path, `{"iso":"none.iso","cd_agent":"st1"}`))
	})
}

func TestACDInUseOrMissingStaysUnlessAskedOtherwise(t *testing.T) {
	s, n := siteWithNode(t)
	s.want(201, "POST", "/workers/pc-01/luns/cd", `{"iso":"win.iso"}`)
	n.Use(cdIQN, iqnBase+"pc-01")
	s.noFileChanged("a CD in use", func() {
		refusal{status: 409, code: "target_in_use", detail: api.AgentError{Agent: "st1", Error: "target " + cdIQN + " is in use by " + iqnBase + "pc-01"}}.
			check(t, s.call("DELETE", "/workers/pc-01/luns/cd", ""))
	})
	s.want(200, "DELETE", "/workers/pc-01/luns/cd?force=true", "")
	s.want(201, "POST", "/workers/pc-01/luns/cd", `{"iso":"win.iso"}`)
	n.Drop(cdIQN)
	s.want(404, "DELETE", "/workers/pc-01/luns/cd", "")
	s.want(200, "DELETE", "/workers/pc-01/luns/cd?ignore_missing_target=true", "")
}

func TestACDUnderWayExcludesTheWorkersDeletionAndNothingElse(t *testing.T) {
	s, n := siteWithNode(t)
	n.Hold()
	done := make(chan answer, 1)
	go func() { done <- s.call("POST", "/workers/pc-01/luns/cd", `{"iso":"win.iso"}`) }()
	eventually(t, "the node was asked", func() bool { return slices.Contains(n.Calls(), "POST /lun/cd") })
	const busy = "the CD of worker pc-01 is being attached by another request"
	for _, c := range []refusal{
		{"POST", "/workers/pc-01/luns/cd", `{"iso":"win.iso"}`, 409, "in_progress", busy},
		{"DELETE", "/workers/pc-01/luns/cd", ``, 409, "in_progress", busy},
		{"DELETE", "/workers/pc-01", ``, 409, "in_progress", busy},
	} {
		c.check(t, s.call(c.method, c.path, c.body))
	}
	s.want(200, "PUT", "/workers/pc-01/mac", `{"mac":"52:54:00:00:00:09"}`)
	s.want(200, "PUT", "/workers/pc-01/default-os", `{"menu_default":"menu-install"}`)
	n.Release()
	if a := <-done; a.status != 201 {
		t.Errorf("%s", a)
	}
	if w := s.worker("pc-01"); w.CD == nil || *w.MAC != "52:54:00:00:00:09" || w.Boot == nil {
		t.Errorf("%+v", w)
	}
	s.want(200, "DELETE", "/workers/pc-01", "")
}

func TestACDThatTheLedgerRefusesIsTakenBack(t *testing.T) {
	s, n := siteWithNode(t)
	n.Hold()
	done := make(chan answer, 1)
	go func() { done <- s.call("POST", "/workers/pc-01/luns/cd", `{"iso":"win.iso"}`) }()
	eventually(t, "the node was asked", func() bool { return slices.Contains(n.Calls(), "POST /lun/cd") })
	s.file("state/workers.yml", "workers: [broken\n")
	eventually(t, "the broken edit is seen", func() bool { return s.call("GET", "/readyz", "").status == 503 })
	n.Release()
	if a := <-done; a.status != 503 || decode[api.Error](t, a).Code != "ledger_unreadable" {
		t.Errorf("%s", a)
	}
	if len(n.Targets()) != 0 || !slices.Contains(n.Files(), "win.iso") {
		t.Errorf("left behind: %v %v", n.Targets(), n.Files())
	}
}
