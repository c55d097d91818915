package controlplane

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

func (s *site) findings() map[string]api.Finding {
	s.t.Helper()
	out := make(map[string]api.Finding)
	for _, f := range decode[api.Reconcile](s.t, s.want(200, "GET", "/reconcile", "")).Findings {
		out[f.ID] = f
	}
	return out
}

func (s *site) fix(ids ...string) api.FindingsFixed {
	s.t.Helper()
	return decode[api.FindingsFixed](s.t, s.want(200, "POST", "/reconcile", `{"fix":["`+strings.Join(ids, `","`)+`"]}`))
}

func TestASiteInOrderHasNoFindings(t *testing.T) {
	s, _ := siteWithNode(t)
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)
	if a := s.want(200, "GET", "/reconcile", ""); string(a.body) != `{"findings":[]}` {
		t.Errorf("%s", a)
	}
}

func TestATargetThatVanishedIsFoundAndExportedAgain(t *testing.T) {
	s, n := siteWithNode(t)
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)
	n.Drop(ubuntuIQN)
	want := api.Finding{ID: "missing_target:pc-01:ubuntu", Kind: "missing_target", WorkerID: "pc-01", Agent: "st1", Fix: "export_again",
		Detail: "the ubuntu disk of worker pc-01: target " + ubuntuIQN + " does not stand on agent st1"}
	if got := s.findings(); len(got) != 1 || got[want.ID] != want {
		t.Fatalf("%+v", got)
	}
	files := n.Files()
	if got := s.fix(want.ID); !slices.Equal(got.Fixed, []string{want.ID}) || len(got.Failed) != 0 {
		t.Errorf("%+v", got)
	}
	if got := s.findings(); len(got) != 0 || !slices.Equal(n.Targets(), []string{ubuntuIQN}) || !slices.Equal(n.Files(), files) {
		t.Errorf("%+v %v %v", got, n.Targets(), n.Files())
	}
	ops := s.operations("op=reconcile.fix")
	if len(ops) != 2 || ops[1].Status != "succeeded" || ops[0].WorkerID != "pc-01" {
		t.Errorf("%+v", ops)
	}
}

func TestALostDiskIsAdoptedAndAStrayTargetRemovedWithoutItsFile(t *testing.T) {
	s, n := siteWithNode(t)
	s.want(201, "POST", "/agents/st1/luns/disk", `{"iqn":"iqn.2026-07.com.controller:pc-01.debian","filename":"pc-01.debian.img","size":"1G"}`)
	s.want(201, "POST", "/agents/st1/luns/disk", `{"iqn":"iqn.2026-07.com.controller:stray","filename":"stray.img","size":"1G"}`)
	n.Serve("iqn.2020-01.com.somebody:else", "else.img")
	lost, stray := "orphan_target:st1:iqn.2026-07.com.controller:pc-01.debian", "orphan_target:st1:iqn.2026-07.com.controller:stray"
	foreign := "foreign_target:st1:iqn.2020-01.com.somebody:else"
	got := s.findings()
	if len(got) != 3 || got[lost].Fix != "adopt_disk" || got[stray].Fix != "remove_target" || got[foreign].Fix != "" {
		t.Fatalf("%+v", got)
	}
	files := n.Files()
	fixed := s.fix(lost, stray, foreign, lost, "nonsense")
	if !slices.Equal(fixed.Fixed, []string{lost, stray}) || len(fixed.Failed) != 3 ||
		fixed.Failed[0].Error != "finding "+foreign+" has no fix of its own; a person has to decide" ||
		fixed.Failed[2].Error != "there is no finding nonsense now" {
		t.Errorf("%+v", fixed)
	}
	if w := s.worker("pc-01"); len(w.Disks) != 1 || w.Disks[0].OS != "debian" || w.State != "ready" {
		t.Errorf("%+v", w)
	}
	if got := n.Files(); !slices.Equal(got, files) {
		t.Errorf("a fix deleted a file: %v", got)
	}
	if got := s.findings(); len(got) != 1 || got[foreign].Kind != "foreign_target" || len(n.Targets()) != 2 {
		t.Errorf("%+v %v", got, n.Targets())
	}
}

func TestAStrayTargetInUseHasNoFix(t *testing.T) {
	s, n := siteWithNode(t)
	s.want(201, "POST", "/agents/st1/luns/disk", `{"iqn":"iqn.2026-07.com.controller:stray","filename":"stray.img","size":"1G"}`)
	n.Use("iqn.2026-07.com.controller:stray", "iqn.2026-07.com.controller:who")
	f := s.findings()["orphan_target:st1:iqn.2026-07.com.controller:stray"]
	if f.Fix != "" || !strings.HasSuffix(f.Detail, "belongs to no worker and is in use by iqn.2026-07.com.controller:who") {
		t.Errorf("%+v", f)
	}
}

func TestFindingsOfTheLedgerItself(t *testing.T) {
	n := nodetest.Start(t)
	s := newSite(t)
	s.agents(map[string]*nodetest.Node{"st1": n})
	s.file("config/agents.yml", s.read("config/agents.yml")+
		"  gone: {base_url: \"http://127.0.0.1:1\", role: {disk: true}}\n  off: {base_url: \"http://127.0.0.1:1\", enabled: false}\n")
	s.file("state/workers.yml", `workers:
  a: {hostname: a, arch: x86_64, state: ready, disks: [{agent: st9, iqn: "iqn.2026-07.com.c:a.ubuntu", filename: a.ubuntu.img, os: ubuntu}]}
  b: {hostname: b, arch: x86_64, state: ready, disks: [{agent: off, iqn: "iqn.2026-07.com.c:x", filename: x.img, os: ubuntu}]}
  c: {hostname: c, arch: x86_64, state: ready, disks: [{agent: off, iqn: "iqn.2026-07.com.c:x", filename: x.img, os: ubuntu}]}
`)
	s.file("dnsmasq/dhcp-hosts.conf", "52:54:00:00:00:01,a\n52:54:00:00:00:02,b\n52:54:00:00:00:09,nobody\n")
	s.start()
	got := s.findings()
	for id, detail := range map[string]string{
		"unknown_agent:a:ubuntu": "the ubuntu disk of worker a is on agent st9, which is not in the inventory",
		"shared_target:c:ubuntu": "the ubuntu disk of worker b and the ubuntu disk of worker c are both target iqn.2026-07.com.c:x on agent off: two machines would write one disk",
		"unbound_worker:c":       "worker c has no MAC: only a machine that already says the host name c is taken for it",
		"orphan_binding:nobody":  "mac 52:54:00:00:00:09 is bound to nobody, which no worker is called; a machine with it is registered under that name",
		"agent_unreachable:gone": "agent gone: unreachable: connect: connection refused",
	} {
		if got[id].Detail != detail {
			t.Errorf("%s: %q", id, got[id].Detail)
		}
		delete(got, id)
	}
	if len(got) != 0 {
		t.Errorf("more: %+v", got)
	}
	s.fix("orphan_binding:nobody")
	if b := s.read("dnsmasq/dhcp-hosts.conf"); b != "52:54:00:00:00:01,a\n52:54:00:00:00:02,b\n" {
		t.Errorf("%q", b)
	}
}

func TestWhatIsBeingMadeIsNoFinding(t *testing.T) {
	s, n := siteWithNode(t)
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)
	n.Hold()
	done := make(chan answer, 1)
	go func() { done <- s.call("DELETE", "/workers/pc-01", "") }()
	eventually(t, "the node was asked", func() bool { return slices.Contains(n.Calls(), "DELETE /lun") })
	n.Drop(ubuntuIQN)
	if got := s.findings(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	n.Release()
	<-done
}

func TestFixesAreRefusedWithoutAnID(t *testing.T) {
	s := newSite(t).start()
	for body, want := range map[string]string{`{}`: "fix names no finding", `{"fix":"x"}`: "fix must be a list, not a JSON string"} {
		if a := s.want(400, "POST", "/reconcile", body); decode[api.Error](t, a).Detail != want {
			t.Errorf("%s: %s", body, a)
		}
	}
}

func TestABadBindingLineIsAFindingThatStaysTheSame(t *testing.T) {
	s, _ := siteWithNode(t)
	s.file("dnsmasq/dhcp-hosts.conf", s.read("dnsmasq/dhcp-hosts.conf")+"52:54:00:00:00:zz,pc-77\n")
	var ids []string
	eventually(t, "the line is found", func() bool {
		ids = slices.Collect(maps.Keys(s.findings()))
		return len(ids) == 1
	})
	f := s.findings()[ids[0]]
	if f.Kind != "bad_binding_line" || f.Fix != "" || !strings.HasPrefix(f.ID, "bad_binding_line:2:") ||
		!strings.HasPrefix(f.Detail, "line 2 of dhcp-hosts.conf is kept and blocks nothing: ") {
		t.Errorf("%+v", f)
	}
	s.restart()
	if _, same := s.findings()[f.ID]; !same {
		t.Errorf("%s became %+v", f.ID, s.findings())
	}
	if got := s.fix(f.ID); len(got.Fixed) != 0 || len(got.Failed) != 1 {
		t.Errorf("%+v", got)
	}
}
