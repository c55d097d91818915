package controlplane

import (
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

// TestTheOriginalsFilesAreServedAndKept: a ledger without schema and with a
// single disk a worker, an inventory that leaves fields out, and bindings
// without a final newline are read, booted from and written on.
func TestTheOriginalsFilesAreServedAndKept(t *testing.T) {
	n := nodetest.Start(t)
	s := newSite(t)
	s.file("config/agents.yml", `# storage nodes
agents:
  storage-01:
    base_url: `+n.URL+`/
    token: ${NODE_TOKEN}
    iscsi_server: 192.168.80.3
    role:
      disk: true
      cd: true
    tags: [storage, stgt]
`)
	s.env["NODE_TOKEN"] = n.Token
	s.file("state/workers.yml", `workers:
  worker-01:
    hostname: worker-01
    arch: x86_64
    state: ready
    disk:
      agent: storage-01
      iqn: iqn.2026-07.com.controller:worker-01.ubuntu
      filename: worker-01.ubuntu.img
      backing: /data/iscsi/worker-01.ubuntu.img
      os: ubuntu
      source:
        type: master
        name: ubuntu_tpl_2404.img
    cd: null
    default_os: ubuntu
    rack: 3
  worker-02:
    hostname: worker-02
    arch: x86_64
    state: registered
    disks: []
    cd: null
`)
	s.file("dnsmasq/dhcp-hosts.conf", "00:0c:29:b9:8b:2d,worker-01\n00:0c:29:00:00:02,worker-02")
	s.start()

	want := "set root-ubuntu iscsi:192.168.80.3:::1:iqn.2026-07.com.controller:worker-01.ubuntu\n"
	if got := s.boot("mac=00:0c:29:b9:8b:2d"); !strings.HasSuffix(got, want) || !strings.Contains(got, "set menu-default ubuntu\n") {
		t.Errorf("%s", got)
	}
	if a := decode[[]api.Agent](t, s.want(200, "GET", "/agents", "")); len(a) != 1 || a[0].Health != "ok" || !a[0].Enabled {
		t.Errorf("%+v", a)
	}
	s.want(201, "POST", "/workers/worker-02/luns/disk", `{"os":"debian","type":"empty","size":"1G"}`)
	s.boot("mac=52:54:00:00:00:01")

	workers, hosts, agents := s.read("state/workers.yml"), s.read("dnsmasq/dhcp-hosts.conf"), s.read("config/agents.yml")
	for _, kept := range []string{"    rack: 3\n", "    disks:\n      - agent: storage-01\n", "  worker-03:\n"} {
		if !strings.Contains(workers, kept) {
			t.Errorf("workers.yml lacks %q:\n%s", kept, workers)
		}
	}
	if was := s.read("state/workers.yml.schema-0.bak"); !strings.Contains(was, "    disk:\n      agent: storage-01\n") || strings.Contains(was, "worker-03") {
		t.Errorf("the original's file is not kept: %s", was)
	}
	if hosts != "00:0c:29:b9:8b:2d,worker-01\n00:0c:29:00:00:02,worker-02\n52:54:00:00:00:01,worker-03\n" {
		t.Errorf("bindings %q", hosts)
	}
	if !strings.Contains(agents, "token: ${NODE_TOKEN}\n") {
		t.Errorf("the inventory's token was written out:\n%s", agents)
	}
	s.restart()
	if w := s.worker("worker-01"); len(w.Disks) != 1 || w.Disks[0].Source.Name != "ubuntu_tpl_2404.img" {
		t.Errorf("%+v", w)
	}
}
