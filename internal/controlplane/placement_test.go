package controlplane

import (
	"log/slog"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

func TestADiskGoesToANodeThatHasItsMaster(t *testing.T) {
	with, without := nodetest.Start(t), nodetest.Start(t)
	without.Lose("master_tpl_1.img")
	s := newSite(t)
	s.agents(map[string]*nodetest.Node{"a": without, "b": with})
	s.start()
	s.want(201, "POST", "/workers", `{"worker_id":"pc-01","mac":"52:54:00:00:00:01"}`)
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"debian","type":"empty","size":"1G","disk_agent":"b"}`)
	w := decode[api.Worker](t, s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"master","name":"master_tpl_1.img"}`))
	if got := w.Disks[1].Agent; got != "b" {
		t.Errorf("the clone went to %s, which has no such master", got)
	}
	a := s.want(404, "POST", "/workers/pc-01/luns/disk", `{"os":"centos","type":"master","name":"none_tpl_1.img"}`)
	if !strings.Contains(string(a.body), `{"agent":"a","error":"master none_tpl_1.img not found`) {
		t.Errorf("nobody has it: %s", a)
	}
}

func TestASecondControlPlaneOnTheSameFilesIsTurnedAway(t *testing.T) {
	s := newSite(t).start()
	o, err := FromEnv(func(name string) (string, bool) { v, ok := s.env[name]; return v, ok })
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(o, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "another control plane, process ") || !strings.Contains(err.Error(), "two must not write the same ledgers") {
		t.Errorf("%v", err)
	}
	s.boot("mac=52:54:00:00:00:01")
	s.restart()
	if len(s.workers()) != 1 {
		t.Error("the first one's successor does not start")
	}
}

func TestAnOpenDoorIsSaid(t *testing.T) {
	for _, c := range []struct {
		listen, token string
		warns         bool
	}{{"0.0.0.0:0", "", true}, {"127.0.0.1:0", "", false}, {"0.0.0.0:0", "a-token", false}} {
		s := newSite(t, "IPXE_CP_LISTEN", c.listen, "IPXE_CP_TOKEN", c.token)
		o, err := FromEnv(func(name string) (string, bool) { v, ok := s.env[name]; return v, ok })
		if err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		cp, err := New(o, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		cp.close()
		if got := strings.Contains(log.String(), "IPXE_CP_TOKEN is not set"); got != c.warns {
			t.Errorf("%+v: %s", c, log.String())
		}
	}
}
