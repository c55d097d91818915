package controlplane

import (
	"slices"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

const ubuntuIQN = "iqn.2026-07.com.controller:pc-01.ubuntu"

// siteWithNode is a site with one node, st1, and worker pc-01 on it.
func siteWithNode(t *testing.T) (*site, *nodetest.Node) {
	t.Helper()
	n := nodetest.Start(t)
	s := newSite(t)
	s.agents(map[string]*nodetest.Node{"st1": n})
	s.start()
	s.want(201, "POST", "/workers", `{"worker_id":"PC-01","mac":"000c.29b9.8b2d"}`)
	return s, n
}

func TestAWorkerLivesFromRegistrationToDeletion(t *testing.T) {
	s, n := siteWithNode(t)
	w := s.worker("pc-01")
	if w.Hostname != "pc-01" || w.State != "registered" || w.Disks == nil || w.CD != nil || *w.MAC != "00:0c:29:b9:8b:2d" {
		t.Errorf("%+v", w)
	}

	w = decode[api.Worker](t, s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"Ubuntu","type":"master","name":"master_tpl_1.img"}`))
	want := api.Disk{Agent: "st1", IQN: ubuntuIQN, Filename: "pc-01.ubuntu.img", Backing: "/images/pc-01.ubuntu.img",
		OS: "ubuntu", Source: api.Source{Type: "master", Name: "master_tpl_1.img"}}
	if w.State != "ready" || len(w.Disks) != 1 || w.Disks[0] != want {
		t.Errorf("%+v", w)
	}
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"debian","type":"empty","size":"1.5G","disk_agent":"ST1"}`)
	if got := n.Targets(); !slices.Equal(got, []string{"iqn.2026-07.com.controller:pc-01.debian", ubuntuIQN}) {
		t.Errorf("targets %v", got)
	}

	w = decode[api.Worker](t, s.want(200, "PUT", "/workers/pc-01/default-os", `{"os":"ubuntu","menu_default":"ubuntu","menu_timeout":3000}`))
	if w.DefaultOS != "ubuntu" || w.Boot == nil || w.Boot.MenuDefault != "ubuntu" || *w.Boot.MenuTimeout != 3000 {
		t.Errorf("%+v", w)
	}
	if got := s.boot("mac=00:0c:29:b9:8b:2d"); !strings.Contains(got, "set menu-default ubuntu\nset menu-timeout 3000\n") {
		t.Errorf("%s", got)
	}

	w = decode[api.Worker](t, s.want(200, "DELETE", "/workers/pc-01/luns/disk/ubuntu?delete_file=true", ""))
	if w.DefaultOS != "" || w.Boot == nil || w.Boot.MenuDefault != "" || len(w.Disks) != 1 || w.State != "ready" {
		t.Errorf("after the deletion of its default disk %+v", w)
	}
	if got := n.Files(); slices.Contains(got, "pc-01.ubuntu.img") {
		t.Errorf("files %v", got)
	}
	deleted := decode[api.WorkerDeleted](t, s.want(200, "DELETE", "/workers/pc-01?delete_disk=true", ""))
	if deleted.Deleted != "pc-01" || !deleted.DeleteDisk || !deleted.DnsmasqRemoved {
		t.Errorf("%+v", deleted)
	}
	if got := n.Targets(); len(got) != 0 {
		t.Errorf("targets %v", got)
	}
	if got := s.read("dnsmasq/dhcp-hosts.conf"); got != "" {
		t.Errorf("bindings %q", got)
	}
	s.want(404, "GET", "/workers/pc-01", "")
}

func TestEveryChangeIsInTheTrailWithStartAndEnd(t *testing.T) {
	s, n := siteWithNode(t)
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)
	n.Refuse("tgtadm: out of memory")
	s.want(500, "DELETE", "/workers/pc-01/luns/disk/ubuntu", "")
	n.Refuse("")
	s.want(200, "PUT", "/workers/pc-01/mac", `{"mac":"52:54:00:00:00:02"}`)
	s.want(200, "DELETE", "/workers/pc-01", "")

	var got []string
	for _, o := range s.operations("since=0") {
		got = append(got, o.Op+" "+o.Status)
		if o.Op == "dnsmasq.reload" {
			continue
		}
		if o.WorkerID != "pc-01" || o.Client != "127.0.0.1" {
			t.Errorf("%+v", o)
		}
		if o.Status == "failed" && (o.Error != "agent st1: tgtadm: out of memory" || o.Agent != "st1") {
			t.Errorf("%+v", o)
		}
		if o.Op == "worker.mac.update" && o.Status == "started" && (o.OldMAC != "00:0c:29:b9:8b:2d" || o.NewMAC != "52:54:00:00:00:02" || !o.Changed) {
			t.Errorf("%+v", o)
		}
	}
	want := []string{
		"create_worker started", "create_worker succeeded",
		"worker.disk.create started", "worker.disk.create succeeded",
		"worker.disk.delete started", "worker.disk.delete failed",
		"worker.mac.update started", "worker.mac.update succeeded",
		"delete_worker started", "delete_worker succeeded",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	for _, name := range []string{"state/operations.jsonl", "state/workers.yml"} {
		if strings.Contains(s.read(name), n.Token) {
			t.Errorf("%s holds the node's token", name)
		}
	}
	if o := s.operations("since=2&limit=2&op=worker.disk.create"); len(o) != 2 || o[0].ID != 3 {
		t.Errorf("%+v", o)
	}
	if o := s.operations("tail=1&status=succeeded"); len(o) != 1 || o[0].Op != "delete_worker" {
		t.Errorf("%+v", o)
	}
}

func TestTheSameMACAgainChangesNothing(t *testing.T) {
	s, _ := siteWithNode(t)
	s.noFileChanged("the same MAC", func() {
		got := decode[api.Changed](t, s.want(200, "PUT", "/workers/pc-01/mac", `{"mac":"00-0C-29-B9-8B-2D"}`))
		if got.Changed == nil || *got.Changed || got.DnsmasqReloaded != nil || got.Hostname != "pc-01" {
			t.Errorf("%+v", got)
		}
	})
	got := decode[api.Changed](t, s.want(200, "PUT", "/workers/pc-01/mac", `{"mac":"52:54:00:00:00:02"}`))
	if got.Changed == nil || !*got.Changed || *got.MAC != "52:54:00:00:00:02" {
		t.Errorf("%+v", got)
	}
}

func TestAKeptDiskIsAttachedAgain(t *testing.T) {
	s, n := siteWithNode(t)
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)
	s.want(200, "DELETE", "/workers/pc-01/luns/disk/ubuntu", "")
	if got := n.Files(); !slices.Contains(got, "pc-01.ubuntu.img") {
		t.Fatalf("files %v", got)
	}
	a := s.want(409, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)
	if want := `"detail":{"agent":"st1","error":"file pc-01.ubuntu.img exists"},"code":"exists"`; !strings.Contains(string(a.body), want) {
		t.Errorf("%s", a)
	}
	w := decode[api.Worker](t, s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"existing"}`))
	if len(w.Disks) != 1 || w.Disks[0].Source.Type != "existing" || w.Disks[0].IQN != ubuntuIQN {
		t.Errorf("%+v", w)
	}
}

func TestTheNameOfAWorkerWhoseFilesWereKeptIsNotGivenAgain(t *testing.T) {
	n := nodetest.Start(t)
	s := newSite(t)
	s.agents(map[string]*nodetest.Node{"st1": n})
	s.start()
	s.boot("mac=52:54:00:00:00:01")
	s.want(201, "POST", "/workers/worker-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)
	s.want(200, "DELETE", "/workers/worker-01", "")
	if got := s.boot("mac=52:54:00:00:00:02"); !strings.Contains(got, "set hostname worker-02\n") {
		t.Errorf("a new machine meets an old disk:\n%s", got)
	}
	s.want(200, "DELETE", "/workers/worker-02?delete_disk=true", "")
	if got := s.boot("mac=52:54:00:00:00:03"); !strings.Contains(got, "set hostname worker-02\n") {
		t.Errorf("a name without files was not given again:\n%s", got)
	}
}

func TestADiskInUseStaysUnlessForced(t *testing.T) {
	s, n := siteWithNode(t)
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)
	n.Use(ubuntuIQN, "iqn.2026-07.com.controller:pc-01")
	for _, path := range []string{"/workers/pc-01/luns/disk/ubuntu", "/workers/pc-01"} {
		s.noFileChanged("a deletion in use", func() {
			a := s.want(409, "DELETE", path, "")
			e := decode[api.Error](t, a)
			if e.Code != "target_in_use" || !strings.Contains(string(a.body), "in use by iqn.2026-07.com.controller:pc-01") {
				t.Errorf("%s", a)
			}
		})
	}
	s.want(200, "DELETE", "/workers/pc-01?force=true", "")
}

func TestAMissingTargetIsPassedOverOnlyWhenAsked(t *testing.T) {
	s, n := siteWithNode(t)
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)
	n.Drop(ubuntuIQN)
	if a := s.want(404, "DELETE", "/workers/pc-01/luns/disk/ubuntu", ""); !strings.Contains(string(a.body), `{"agent":"st1","error":"iqn not found"}`) {
		t.Errorf("%s", a)
	}
	s.want(200, "DELETE", "/workers/pc-01/luns/disk/ubuntu?ignore_missing_target=true", "")
}

func TestAWorkerWhoseAgentLeftTheInventoryCanBeDeleted(t *testing.T) {
	s, _ := siteWithNode(t)
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)
	s.file("config/agents.yml", "agents: {}\n")
	eventually(t, "the edit is seen", func() bool { return string(s.want(200, "GET", "/agents", "").body) == "[]" })
	a := s.want(409, "DELETE", "/workers/pc-01", "")
	if want := "agent st1, which holds target " + ubuntuIQN + ", is not in the inventory; ignore_missing_target=true removes the entry alone"; decode[api.Error](t, a).Detail != want {
		t.Errorf("%s", a)
	}
	s.want(200, "DELETE", "/workers/pc-01?ignore_missing_target=true", "")
}

func TestAHalfDeletedWorkerKeepsWhatIsReallyLeft(t *testing.T) {
	a, b := nodetest.Start(t), nodetest.Start(t)
	s := newSite(t)
	s.agents(map[string]*nodetest.Node{"st1": a, "st2": b})
	s.start()
	s.want(201, "POST", "/workers", `{"worker_id":"pc-01","mac":"52:54:00:00:00:01"}`)
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G","disk_agent":"st1"}`)
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"debian","type":"empty","size":"1G","disk_agent":"st2"}`)
	s.want(200, "PUT", "/workers/pc-01/default-os", `{"os":"ubuntu"}`)
	b.Refuse("tgtadm: no")
	if a := s.want(500, "DELETE", "/workers/pc-01", ""); !strings.Contains(string(a.body), `{"agent":"st2","error":"tgtadm: no"}`) {
		t.Errorf("%s", a)
	}
	if w := s.worker("pc-01"); len(w.Disks) != 1 || w.Disks[0].OS != "debian" || w.DefaultOS != "" || w.MAC == nil {
		t.Errorf("%+v", w)
	}
	b.Refuse("")
	s.want(200, "DELETE", "/workers/pc-01", "")
}

func TestADiskGoesToTheHealthyNodeWithTheFewest(t *testing.T) {
	a, b, dead := nodetest.Start(t), nodetest.Start(t), nodetest.Start(t)
	dead.Token = "not what the inventory says"
	s := newSite(t)
	nodes := map[string]*nodetest.Node{"st1": a, "st2": b}
	s.agents(nodes)
	s.file("config/agents.yml", s.read("config/agents.yml")+
		"  a-dead: {base_url: \""+dead.URL+"\", token: x, role: {disk: true}}\n"+
		"  b-off: {base_url: \""+a.URL+"\", token: x, role: {disk: true}, enabled: false}\n"+
		"  c-cd: {base_url: \""+a.URL+"\", token: x, role: {cd: true}}\n")
	s.start()
	s.want(201, "POST", "/workers", `{"worker_id":"pc-01","mac":"52:54:00:00:00:01"}`)
	for i, want := range []string{"st1", "st2", "st1"} {
		os := []string{"ubuntu", "debian", "centos"}[i]
		w := decode[api.Worker](t, s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"`+os+`","type":"empty","size":"1G"}`))
		if got := w.Disks[len(w.Disks)-1].Agent; got != want {
			t.Errorf("%s went to %s, want %s", os, got, want)
		}
	}
}

func TestAWindowsInstallationStartsWithItsCD(t *testing.T) {
	n := nodetest.Start(t)
	s := newSite(t)
	s.agents(map[string]*nodetest.Node{"st1": n})
	s.start()
	w := decode[api.Worker](t, s.want(201, "POST", "/workers", `{"worker_id":"pc-01","mac":"52:54:00:00:00:01","windows_iso":"win.iso","boot":{"menu_default":"menu-install"}}`))
	want := api.CD{Agent: "st1", IQN: "iqn.2026-07.com.controller:pc-01.windows.iso", ISO: "win.iso", Backing: "/images/win.iso"}
	if w.State != "installing" || w.CD == nil || *w.CD != want {
		t.Errorf("%+v", w)
	}
	s.noFileChanged("a missing ISO", func() {
		a := s.want(404, "POST", "/workers", `{"worker_id":"pc-02","mac":"52:54:00:00:00:02","windows_iso":"none.iso"}`)
		if !strings.Contains(string(a.body), `{"agent":"st1","error":"iso none.iso not found"}`) {
			t.Errorf("%s", a)
		}
	})
	s.want(200, "DELETE", "/workers/pc-01?delete_disk=true", "")
	if got := n.Files(); !slices.Contains(got, "win.iso") || len(n.Targets()) != 0 {
		t.Errorf("files %v targets %v", got, n.Targets())
	}
}

func TestWhatTheLedgerRefusesIsTakenBackAtTheNode(t *testing.T) {
	s, n := siteWithNode(t)
	n.Hold()
	done := make(chan answer, 1)
	go func() {
		done <- s.call("POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)
	}()
	eventually(t, "the node was asked", func() bool { return slices.Contains(n.Calls(), "POST /lun/disk") })
	s.file("state/workers.yml", "workers: [broken\n")
	eventually(t, "the broken edit is seen", func() bool { return s.call("GET", "/readyz", "").status == 503 })
	n.Release()
	if a := <-done; a.status != 503 || decode[api.Error](t, a).Code != "ledger_unreadable" {
		t.Errorf("%s", a)
	}
	if len(n.Targets()) != 0 || slices.Contains(n.Files(), "pc-01.ubuntu.img") {
		t.Errorf("left behind: %v %v", n.Targets(), n.Files())
	}
	if got := s.read("state/workers.yml"); got != "workers: [broken\n" {
		t.Errorf("the person's edit was overwritten:\n%s", got)
	}
}

func TestAgentsAreListedWithTheirHealthAndNeverTheirToken(t *testing.T) {
	good, bad := nodetest.Start(t), nodetest.Start(t)
	s := newSite(t)
	s.agents(map[string]*nodetest.Node{"good": good})
	s.file("config/agents.yml", s.read("config/agents.yml")+
		"  bad: {base_url: \""+bad.URL+"\", token: wrong-token, role: {disk: true}}\n"+
		"  gone: {base_url: \"http://127.0.0.1:1\", token: gone-token}\n"+
		"  off: {base_url: \"http://127.0.0.1:1\", enabled: false}\n")
	s.start()
	a := s.want(200, "GET", "/agents", "")
	var health []string
	for _, g := range decode[[]api.Agent](t, a) {
		health = append(health, g.ID+" "+g.Health)
	}
	if want := []string{"bad unauthorized", "gone unreachable", "good ok", "off disabled"}; !slices.Equal(health, want) {
		t.Errorf("%v", health)
	}
	if strings.Contains(string(a.body), "token") {
		t.Errorf("%s", a)
	}
	calls := len(good.Calls())
	for _, g := range decode[[]api.Agent](t, s.want(200, "GET", "/agents?live=false", "")) {
		if g.Health != "" || g.Capabilities != nil {
			t.Errorf("%+v", g)
		}
	}
	if len(good.Calls()) != calls {
		t.Error("live=false asked a node")
	}
}
