package controlplane

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

func fencedSite(t *testing.T) (*site, *nodetest.Node) {
	t.Helper()
	n := nodetest.Start(t)
	s := newSite(t)
	s.fencing = 10 * time.Millisecond
	s.agents(map[string]*nodetest.Node{"st1": n})
	s.start()
	s.want(201, "POST", "/workers", `{"worker_id":"pc-01","mac":"000c.29b9.8b2d"}`)
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)
	return s, n
}

var eight = time.Date(2026, 7, 1, 8, 0, 0, 0, time.UTC)

func from(initiator, address string) api.Session {
	x := api.Session{Initiator: "iqn.2026-07.com.controller:" + initiator}
	if address != "" {
		x.Address = &address
	}
	return x
}

func (s *site) metrics() string {
	s.t.Helper()
	return string(s.want(200, "GET", "/metrics", "").body)
}

func TestASecondMachineOnADiskIsAnEventAndAFindingUntilItLeaves(t *testing.T) {
	s, n := fencedSite(t)
	n.Fence(api.Fencing{Rivalries: []api.Rivalry{{IQN: ubuntuIQN, Since: eight, Sessions: []api.Session{from("pc-01", "192.168.80.50"), from("evil", "")}}}})
	eventually(t, "the event", func() bool { return len(s.operations("op=disk.second_initiator")) > 0 })
	want := api.Finding{ID: "two_initiators:st1:" + ubuntuIQN, Kind: "two_initiators", WorkerID: "pc-01", Agent: "st1",
		Detail: "the ubuntu disk of worker pc-01, target " + ubuntuIQN + " on agent st1, is in use by more than one machine since 2026-07-01T08:00:00Z, which destroys its data: " +
			"iqn.2026-07.com.controller:pc-01 from 192.168.80.50, iqn.2026-07.com.controller:evil from an unknown address"}
	if got := s.findings(); len(got) != 1 || got[want.ID] != want {
		t.Errorf("%+v", got)
	}
	if got := s.fix(want.ID); len(got.Failed) != 1 {
		t.Errorf("it was mended: %+v", got)
	}
	if !strings.Contains(s.metrics(), "ipxe_cp_disks_with_two_initiators 1\n") {
		t.Error("the gauge is not 1")
	}
	n.Fence(api.Fencing{})
	eventually(t, "it is over", func() bool { return len(s.findings()) == 0 })
	eventually(t, "the gauge falls", func() bool { return strings.Contains(s.metrics(), "ipxe_cp_disks_with_two_initiators 0\n") })
	ops := s.operations("op=disk.second_initiator")
	if len(ops) != 1 || ops[0].Status != "ok" || ops[0].WorkerID != "pc-01" || ops[0].Agent != "st1" {
		t.Errorf("the event is there %d times: %+v", len(ops), ops)
	}
	trail := string(s.want(200, "GET", "/operations?op=disk.second_initiator", "").body)
	for _, part := range []string{`"expected":"iqn.2026-07.com.controller:pc-01"`, `"os":"ubuntu"`, `"iqn":"` + ubuntuIQN + `"`, `"initiator":"iqn.2026-07.com.controller:evil"`} {
		if !strings.Contains(trail, part) {
			t.Errorf("the trail lacks %s: %s", part, trail)
		}
	}
}

func TestARefusedInitiatorIsAnEventAndAFinding(t *testing.T) {
	s, n := fencedSite(t)
	r := api.Refusal{IQN: ubuntuIQN, Initiator: "iqn.2026-07.com.controller:evil", Address: "192.168.80.66", First: eight, Last: eight.Add(time.Minute), Count: 3}
	n.Fence(api.Fencing{ACL: "initiator", Refusals: []api.Refusal{r}})
	eventually(t, "the event", func() bool { return len(s.operations("op=disk.refused_initiator")) > 0 })
	want := api.Finding{ID: "refused_initiator:st1:" + ubuntuIQN + ":" + r.Initiator + ":192.168.80.66", Kind: "refused_initiator", WorkerID: "pc-01", Agent: "st1",
		Detail: "the ubuntu disk of worker pc-01, target " + ubuntuIQN + " on agent st1, did not admit " + r.Initiator +
			" from 192.168.80.66, which is not its machine; tries: 3, the last at 2026-07-01T08:01:00Z"}
	if got := s.findings(); len(got) != 1 || got[want.ID] != want {
		t.Errorf("%+v", got)
	}
}

func TestANodeThatIsTooOldToTellIsInOrder(t *testing.T) {
	s, n := fencedSite(t)
	n.Answer("GET /fencing", http.NotFound)
	if got := s.findings(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	// One that hangs there is judged by what it told before, and by its targets.
	n.Answer("GET /fencing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	n.Drop(ubuntuIQN)
	if got := s.findings(); len(got) != 1 {
		t.Errorf("%+v", got)
	}
}
