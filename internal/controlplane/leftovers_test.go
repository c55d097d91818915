package controlplane

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

// owes reports whether the site has it noted that this target is left at a node.
func (s *site) owes(iqn string) bool {
	b, _ := os.ReadFile(filepath.Join(s.home, "state/leftovers.json")) // absent until something is noted
	return strings.Contains(string(b), `"`+iqn+`"`)
}

// busyNow is the 503 of a node that cannot do it now.
func busyNow(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusServiceUnavailable)
	fmt.Fprint(w, `{"detail":"the image folder is not mounted","code":"unavailable"}`)
}

// refusedAndKept is a disk that the ledger refused, as a person broke
// workers.yml meanwhile, and that the node does not give back. It returns what
// mends the file.
func refusedAndKept(s *site, n *nodetest.Node) (whole string) {
	s.t.Helper()
	n.Hold()
	id := s.async("/workers/pc-01/luns/disk", newUbuntu)
	working(s.t, n)
	whole = s.read("state/workers.yml")
	s.file("state/workers.yml", "workers: [\n")
	n.Answer("DELETE /lun", busyNow)
	n.Release()
	if got := s.ended(id); got.State != "failed" || !strings.Contains(got.Items[0].Error, "workers.yml") {
		s.t.Errorf("%+v", got)
	}
	if len(n.Targets()) != 1 {
		s.t.Fatalf("the node holds %v", n.Targets())
	}
	return whole
}

func TestADiskThatTheLedgerRefusedAndTheNodeKeptIsClearedLater(t *testing.T) {
	for _, c := range []struct{ tasks, restart bool }{{true, false}, {false, false}, {true, true}, {false, true}} {
		s, n := siteWithNode(t)
		if c.tasks {
			n.OfferTasks()
		}
		whole := refusedAndKept(s, n)
		s.file("state/workers.yml", whole)
		if c.restart {
			n.Forget() // the node is restarted too, and the disk still stands
			s.restart()
		}
		n.Answer("DELETE /lun", nil)
		eventually(t, "it is cleared", func() bool { return len(n.Targets()) == 0 && !slices.Contains(n.Files(), "pc-01.ubuntu.img") })
		eventually(t, "it is forgotten", func() bool { return !s.owes(ubuntuIQN) })
		s.want(201, "POST", "/workers/pc-01/luns/disk", newUbuntu)
	}
}

func TestADiskThatAPersonEnteredMeanwhileIsNotCleared(t *testing.T) {
	s, n := siteWithNode(t)
	whole := refusedAndKept(s, n)
	s.stop()
	n.Answer("DELETE /lun", nil)
	before := len(n.Calls())
	s.start() // and workers.yml, which is broken, may name the disk
	eventually(t, "the start is through", func() bool { return s.call("GET", "/readyz", "").status == 503 })
	s.file("state/workers.yml", strings.Replace(whole, "disks: []", `disks: [{agent: st1, iqn: "`+ubuntuIQN+
		`", filename: pc-01.ubuntu.img, backing: /images/pc-01.ubuntu.img, os: ubuntu, source: {type: existing}}]`, 1))
	eventually(t, "it is forgotten", func() bool { return !s.owes(ubuntuIQN) })
	if w := s.worker("pc-01"); len(w.Disks) != 1 || !slices.Equal(n.Targets(), []string{ubuntuIQN}) {
		t.Errorf("%+v with %v", w, n.Targets())
	}
	if calls := n.Calls()[before:]; slices.Contains(calls, "DELETE /lun") {
		t.Errorf("the node was asked for %v", calls)
	}
}

func TestAKeptFileIsNotDeletedWithWhatIsCleared(t *testing.T) {
	s, n := siteWithNode(t)
	n.Put("pc-01.ubuntu.img")
	n.Hold()
	id := s.async("/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"existing"}`)
	working(t, n)
	n.Answer("DELETE /lun", busyNow)
	s.want(200, "DELETE", "/tasks/"+id, "")
	n.Release()
	if got := s.ended(id); got.State != "cancelled" || !s.owes(ubuntuIQN) {
		t.Errorf("%+v", got)
	}
	n.Answer("DELETE /lun", nil)
	eventually(t, "it is cleared", func() bool { return len(n.Targets()) == 0 })
	if !slices.Contains(n.Files(), "pc-01.ubuntu.img") {
		t.Errorf("left %v", n.Files())
	}
}

// TestADiskThatStandsWhenTheDaemonIsKilledIsClearedByTheNext kills a real
// process while one disk of a batch is being taken back, one waits to be
// entered, and a third was noted after both.
func TestADiskThatStandsWhenTheDaemonIsKilledIsClearedByTheNext(t *testing.T) {
	nodes := map[string]*nodetest.Node{"st1": nodetest.Start(t), "st2": nodetest.Start(t)}
	s := newSite(t)
	s.ledgerOf(3)
	s.agents(nodes)
	for _, n := range nodes {
		n.OfferTasks()
		n.Hold()
	}
	p := play(t, self(t), "ipxe-cp", "IPXE_CP_HOME="+s.home, "IPXE_CP_LISTEN=127.0.0.1:0", "IPXE_CP_AGENT_PARALLEL=1")
	s.url = "http://" + p.line(t)
	undoing, hang := make(chan struct{}, 1), make(chan struct{})
	nodes["st1"].Answer("DELETE /lun", func(http.ResponseWriter, *http.Request) { undoing <- struct{}{}; <-hang })
	id := s.async("/workers/luns/disk/batch", `{"type":"master","os":"ubuntu","name":"master_tpl_1.img","targets":[
		{"worker_id":"worker-01","agent":"st1"},{"worker_id":"worker-02","agent":"st2"},{"worker_id":"worker-03","agent":"st2"}]}`)
	working(t, nodes["st1"])
	working(t, nodes["st2"])
	whole := s.read("state/workers.yml")
	s.file("state/workers.yml", "workers: [\n")
	nodes["st1"].Release()
	<-undoing
	nodes["st2"].Release()
	eventually(t, "the third disk is noted", func() bool { return s.owes("iqn.2026-07.com.controller:worker-03.ubuntu") })
	p.kill(t)
	close(hang)
	nodes["st1"].Answer("DELETE /lun", nil)
	http.DefaultClient.CloseIdleConnections()
	s.file("state/workers.yml", whole)
	s.start()
	if got := s.task(id); got.State != "interrupted" {
		t.Errorf("%+v", got)
	}
	eventually(t, "all is cleared", func() bool {
		return len(nodes["st1"].Targets())+len(nodes["st2"].Targets()) == 0 && len(nodes["st1"].Files())+len(nodes["st2"].Files()) == 4
	})
	eventually(t, "all is forgotten", func() bool { return !s.owes("iqn.2026-07.com.controller:worker-01.ubuntu") })
	got := decode[api.DisksCreated](t, s.want(200, "POST", "/workers/luns/disk/batch", disks(3, 2)))
	if len(got.Succeeded) != 3 {
		t.Errorf("%+v", got)
	}
}
