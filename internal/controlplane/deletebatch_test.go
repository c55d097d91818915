package controlplane

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"ipxe-all-ready/internal/api"
)

// deletion is the body of a deletion batch with the disks.
func deletion(ids ...string) string {
	b, _ := json.Marshal(api.DeleteWorkers{WorkerIDs: ids, DeleteDisk: true}) // it can be encoded
	return string(b)
}

func workerIDs(n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprintf("worker-%02d", i+1))
	}
	return ids
}

func TestADeletionBatchIsOneWriteAndOneReload(t *testing.T) {
	const n = 100
	pidFile, hangups := fakeDNSMasq(t)
	s, list := hall(t, n+1, 4, "IPXE_CP_DNSMASQ_PID_FILE", pidFile)
	s.want(200, "POST", "/workers/luns/disk/batch", disks(n, 4))
	eventually(t, "the reload of the start is in the trail", func() bool { return len(s.operations("op=dnsmasq.reload")) == 1 })
	before := s.commits()
	got := decode[api.WorkersDeleted](t, s.want(200, "POST", "/workers/delete/batch", deletion(workerIDs(n)...)))
	if len(got.Succeeded) != n || len(got.Failed) != 0 || got.Succeeded[n-1] != (api.DeletedWorker{WorkerID: "worker-100", Hostname: "worker-100"}) {
		t.Errorf("%+v", got)
	}
	if got.DnsmasqReloaded == nil || !*got.DnsmasqReloaded {
		t.Errorf("reloaded %v", got.DnsmasqReloaded)
	}
	if c := s.commits() - before; c != 1 {
		t.Errorf("%d commits", c)
	}
	for i, node := range list {
		if _, most := node.Busy(); len(node.Targets()) != 0 || most > 4 {
			t.Errorf("node %d: %d targets left, %d at once", i+1, len(node.Targets()), most)
		}
	}
	if b := s.bindings(); len(b) != 1 || len(s.workers()) != 1 {
		t.Errorf("left %v", b)
	}
	if again := decode[api.WorkersDeleted](t, s.want(200, "POST", "/workers/delete/batch", deletion("worker-01"))); len(again.Failed) != 1 || again.Failed[0].Error != "worker worker-01 not found" {
		t.Errorf("repeated: %+v", again)
	}
	s.stop()
	if h := hangups(); h != 2 {
		t.Errorf("%d reloads, want one at the start and one of the batch", h)
	}
}

func TestADeletionBatchSaysOfEveryWorkerWhatBecameOfIt(t *testing.T) {
	s, list := hall(t, 8, 2)
	s.want(200, "POST", "/workers/luns/disk/batch", disks(6, 2))
	s.want(201, "POST", "/workers/worker-02/luns/disk", `{"os":"debian","type":"empty","size":"1G","disk_agent":"st1"}`)
	const base = "iqn.2026-07.com.controller:"
	list[0].Use(base+"worker-02.debian", "iqn.x:pc")
	list[0].Drop(base + "worker-03.ubuntu")
	got := decode[api.WorkersDeleted](t, s.want(200, "POST", "/workers/delete/batch",
		deletion("worker-05", "../x", "worker-02", "WORKER-01", "worker-03", "worker-05", "nobody", "worker-07")))
	want := api.WorkersDeleted{
		Succeeded: []api.DeletedWorker{{WorkerID: "worker-05", Hostname: "worker-05"}, {WorkerID: "worker-01", Hostname: "worker-01"}, {WorkerID: "worker-07", Hostname: "worker-07"}},
		Failed: []api.UndeletedWorker{
			{WorkerID: "../x", Error: `worker id "../x" is not made of a-z, 0-9, '.', '_' and '-', starting with a letter or digit, at most 63`},
			{WorkerID: "worker-02", Error: "agent st1: target " + base + "worker-02.debian is in use by iqn.x:pc"},
			{WorkerID: "worker-03", Error: "agent st1: iqn not found"},
			{WorkerID: "nobody", Error: "worker nobody not found"},
		},
	}
	if fmt.Sprint(got.Succeeded, got.Failed) != fmt.Sprint(want.Succeeded, want.Failed) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	// Its first disk is gone, its second stays: that is what the ledger says.
	if w := s.worker("worker-02"); len(w.Disks) != 1 || w.Disks[0].OS != "debian" || w.DefaultOS != "" || w.MAC == nil {
		t.Errorf("%+v", w)
	}
	s.want(200, "POST", "/workers/delete/batch", `{"worker_ids":["worker-03"],"delete_disk":true,"ignore_missing_target":true}`)
	s.want(404, "GET", "/workers/worker-03", "")
	var ends []string
	for _, o := range s.operations("op=delete_worker") {
		if o.Status != "started" {
			ends = append(ends, o.WorkerID+" "+o.Status)
		}
	}
	slices.Sort(ends)
	if want := []string{"worker-01 succeeded", "worker-02 failed", "worker-03 failed", "worker-03 succeeded", "worker-05 succeeded", "worker-07 succeeded"}; !slices.Equal(ends, want) {
		t.Errorf("%v", ends)
	}
}

func TestADeletionBatchAsATask(t *testing.T) {
	s, list := hall(t, 3, 1)
	s.want(200, "POST", "/workers/luns/disk/batch", disks(3, 1))
	list[0].Hold()
	id := s.async("/workers/delete/batch", deletion(workerIDs(3)...))
	eventually(t, "the node works", func() bool { now, _ := list[0].Busy(); return now == 3 })
	if a := s.want(409, "POST", "/workers/worker-01/luns/disk", newUbuntu); decode[api.Error](t, a).Detail != "worker worker-01 is being deleted by task "+id {
		t.Errorf("%s", a)
	}
	list[0].Release()
	if got := s.ended(id); got.State != "succeeded" || got.Kind != "worker.delete.batch" || got.Items[2].Agent != "st1" {
		t.Errorf("%+v", got)
	}
	if len(s.workers()) != 0 {
		t.Errorf("%v", s.workers())
	}
}
