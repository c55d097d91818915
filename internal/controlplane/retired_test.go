package controlplane

import (
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

// TestANameWhoseDeletionFailedHalfWayIsNotGivenAgain: the first disk's target
// is gone and its file kept when the second refuses; the files of what is left
// being deleted later does not make the name free.
func TestANameWhoseDeletionFailedHalfWayIsNotGivenAgain(t *testing.T) {
	for name, remove := range map[string]func(*site){
		"one":    func(s *site) { s.want(409, "DELETE", "/workers/worker-01", "") },
		"batch":  func(s *site) { s.want(200, "POST", "/workers/delete/batch", `{"worker_ids":["worker-01"]}`) },
		"a disk": func(s *site) { s.want(200, "DELETE", "/workers/worker-01/luns/disk/ubuntu", "") },
	} {
		t.Run(name, func(t *testing.T) {
			n := nodetest.Start(t)
			s := newSite(t)
			s.agents(map[string]*nodetest.Node{"st1": n})
			s.start()
			s.boot("mac=52:54:00:00:00:01")
			for _, os := range []string{"ubuntu", "debian"} {
				s.want(201, "POST", "/workers/worker-01/luns/disk", `{"os":"`+os+`","type":"empty","size":"1G"}`)
			}
			n.Use(n.Base+":worker-01.debian", "iqn.2026-07.com.controller:worker-01")
			remove(s)
			if w := s.worker("worker-01"); len(w.Disks) != 1 || w.Disks[0].OS != "debian" {
				t.Fatalf("%+v", w)
			}
			n.Use(n.Base+":worker-01.debian", "")
			s.want(200, "DELETE", "/workers/worker-01?delete_disk=true", "")
			if got := hostnameOf(s.boot("mac=52:54:00:00:00:02")); got != "worker-02" {
				t.Errorf("a new machine was called %s while worker-01.ubuntu.img lies on the node", got)
			}
		})
	}
}

func TestTwoRegistrationsOfOneHostnameDoNotTakeEachOthersCD(t *testing.T) {
	n := nodetest.Start(t)
	s := newSite(t)
	s.agents(map[string]*nodetest.Node{"st1": n})
	s.start()
	n.Hold()
	answers := make(chan answer, 2)
	for _, body := range []string{
		`{"worker_id":"aa","mac":"52:54:00:00:00:0a","hostname":"pc","windows_iso":"win.iso"}`,
		`{"worker_id":"bb","mac":"52:54:00:00:00:0b","hostname":"pc","windows_iso":"win.iso"}`,
	} {
		go func() { answers <- s.call("POST", "/workers", body) }()
	}
	refused := <-answers
	if e := decode[api.Error](t, refused); refused.status != 409 || e.Code != "in_progress" || e.Detail != "worker pc is being registered by another request" {
		t.Errorf("%s", refused)
	}
	n.Release()
	if made := <-answers; made.status != 201 {
		t.Errorf("%s", made)
	}
	if got := n.Targets(); len(got) != 1 || !strings.HasSuffix(got[0], ":pc.windows.iso") {
		t.Errorf("the CD of the one that won is gone: %v", got)
	}
}

func TestADnsmasqThatStaysAwayDoesNotFillTheTrail(t *testing.T) {
	s := newSite(t, "IPXE_CP_DNSMASQ_PID_FILE", "/nonexistent/dnsmasq.pid").start()
	for _, mac := range []string{"52:54:00:00:00:01", "52:54:00:00:00:02", "52:54:00:00:00:03"} {
		s.boot("mac=" + mac)
	}
	eventually(t, "the failure is in the trail", func() bool { return len(s.operations("op=dnsmasq.reload")) > 0 })
	ops := s.operations("op=dnsmasq.reload")
	if len(ops) != 2 || ops[0].Status != "started" || ops[1].Status != "failed" || !strings.Contains(ops[1].Error, "no such file or directory") {
		t.Errorf("%+v", ops)
	}
}
