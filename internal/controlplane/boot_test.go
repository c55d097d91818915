package controlplane

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ipxe-all-ready/internal/controlplane/nodetest"
)

const nobody = "#!ipxe\n# no per-worker boot vars found\n"

func TestANewMachineIsRegisteredAndToldToAskAgain(t *testing.T) {
	s := newSite(t).start()
	want := "#!ipxe\n# boot vars for worker-01\nset hostname worker-01\nset menu-default reboot\nset menu-timeout 1000\n"
	if got := s.boot("mac=52:54:00:00:00:01&hostname="); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := s.read("dnsmasq/dhcp-hosts.conf"); got != "52:54:00:00:00:01,worker-01\n" {
		t.Errorf("bindings %q", got)
	}
	if w := s.worker("worker-01"); w.State != "registered" || w.Arch != "x86_64" || w.MAC == nil || *w.MAC != "52:54:00:00:00:01" || w.CreatedAt == nil {
		t.Errorf("%+v", w)
	}
	if strings.Contains(s.read("state/workers.yml"), "52:54") {
		t.Error("the storage ledger holds a MAC")
	}
	ops := s.operations("op=auto_register")
	if len(ops) != 1 || ops[0].Status != "ok" || ops[0].WorkerID != "worker-01" || ops[0].Client != "127.0.0.1" {
		t.Errorf("%+v", ops)
	}
	if got := s.boot("mac=52-54-00-00-00-01"); got != want {
		t.Errorf("the same MAC in another spelling got\n%s", got)
	}
	if n := len(s.workers()); n != 1 {
		t.Errorf("%d workers", n)
	}
}

func TestAWorkerWithDisksIsToldItsDefaultAndEveryRoot(t *testing.T) {
	s := newSite(t)
	s.file("config/agents.yml", `agents:
  st1: {base_url: "http://10.0.0.1:4840", token: t, iscsi_server: 192.168.80.3, role: {disk: true}, tags: [stgt]}
  st2: {base_url: "http://10.0.0.2:4840/", token: t, role: {disk: true}, tags: [lio]}
`)
	s.file("state/workers.yml", `workers:
  worker-01:
    hostname: worker-01
    arch: x86_64
    state: ready
    disks:
      - {agent: st1, iqn: "iqn.2026-07.com.controller:worker-01.ubuntu", filename: worker-01.ubuntu.img, backing: /d/worker-01.ubuntu.img, os: ubuntu, source: {type: empty, size: 1G}}
      - {agent: st2, iqn: "iqn.2026-07.com.other:lab:worker-01.windows", filename: worker-01.windows.img, backing: /d/worker-01.windows.img, os: windows, source: {type: master, name: w_tpl_1.img}}
    default_os: ubuntu
`)
	s.file("dnsmasq/dhcp-hosts.conf", "00:0c:29:b9:8b:2d,worker-01\n")
	s.start()
	head := "#!ipxe\n# boot vars for worker-01\nset hostname worker-01\n"
	roots := `set root-ubuntu iscsi:192.168.80.3:::1:iqn.2026-07.com.controller:worker-01.ubuntu
set root-windows iscsi:10.0.0.2::::iqn.2026-07.com.other:lab:worker-01.windows
`
	ubuntu := head + `set base-iqn iqn.2026-07.com.controller
set iscsi-server 192.168.80.3
set iscsi-sep :::1:
set menu-default ubuntu
set menu-timeout 5000
` + roots
	if got := s.boot("mac=00:0c:29:b9:8b:2d"); got != ubuntu {
		t.Errorf("got\n%swant\n%s", got, ubuntu)
	}
	s.want(200, "PUT", "/workers/worker-01/default-os", `{"os":"WINDOWS","menu_timeout":0}`)
	windows := head + `set base-iqn iqn.2026-07.com.other:lab
set iscsi-server 10.0.0.2
set iscsi-sep ::::
set menu-default windows
set menu-timeout 0
` + roots
	if got := s.boot("mac=00:0c:29:b9:8b:2d"); got != windows {
		t.Errorf("after the switch got\n%swant\n%s", got, windows)
	}
	json := s.want(200, "GET", "/boot-vars?hostname=worker-01&format=json", "")
	if want := `{"hostname":"worker-01","base_iqn":"iqn.2026-07.com.other:lab","iscsi_server":"10.0.0.2","iscsi_sep":"::::","menu_default":"windows","menu_timeout":0}`; string(json.body) != want {
		t.Errorf("json %s", json.body)
	}
}

func TestALongScriptGoesOutWithItsLength(t *testing.T) {
	s := newSite(t)
	s.file("config/agents.yml", "agents:\n  st1: {base_url: 'http://10.0.0.1:4840', token: t, iscsi_server: "+strings.Repeat("node.", 45)+"x, role: {disk: true}, tags: [stgt]}\n")
	rows := "workers:\n  pc:\n    hostname: pc\n    arch: x86_64\n    state: ready\n    disks:\n"
	for _, os := range []string{"windows", "ubuntu", "debian", "centos", "esxi"} {
		rows += fmt.Sprintf("      - {agent: st1, iqn: 'iqn.2026-07.com.%s:pc.%s', filename: pc.%[2]s.img, backing: /d/pc.%[2]s.img, os: %[2]s, source: {type: empty, size: 1G}}\n",
			strings.Repeat("controller.", 17)+"x", os)
	}
	s.file("state/workers.yml", rows)
	s.start()
	a := s.want(200, "GET", "/boot-vars?hostname=pc", "")
	if n := len(a.body); n <= 2048 || a.header.Get("Content-Length") != strconv.Itoa(n) {
		t.Errorf("%d bytes, Content-Length %q\n%s", n, a.header.Get("Content-Length"), a.body)
	}
}

func TestWhoIsAsking(t *testing.T) {
	ledger := `workers:
  bound: {hostname: bound, arch: x86_64, state: registered, disks: []}
  unbound: {hostname: unbound-host, arch: x86_64, state: registered, disks: []}
`
	hosts := "52:54:00:00:00:01,bound\n52:54:00:00:00:02,hand-made\n"
	for _, c := range []struct{ name, query, env, want string }{
		{"a bound MAC names the worker whatever host name it claims", "mac=52:54:00:00:00:01&hostname=unbound-host", "true", "bound"},
		{"without a MAC the host name names it", "hostname=bound", "true", "bound"},
		{"without a MAC the worker id names it", "mac=&hostname=unbound", "true", "unbound-host"},
		{"an unbound MAC is believed the name of a worker without one", "mac=52:54:00:00:00:09&hostname=unbound-host", "true", "unbound-host"},
		{"an unbound MAC is not believed the name of a bound worker", "mac=52:54:00:00:00:09&hostname=bound", "true", "worker-01"},
		{"unless identity is not strict", "mac=52:54:00:00:00:09&hostname=bound", "false", "bound"},
		{"a hand-made binding is registered under its name", "mac=52:54:00:00:00:02", "true", "hand-made"},
		{"upper-case names are the same", "hostname=BOUND", "true", "bound"},
		{"an unknown name without a MAC is nobody", "hostname=stranger", "true", ""},
		{"an empty request is nobody", "", "true", ""},
		{"a malformed MAC registers nobody", "mac=zz&hostname=", "true", ""},
		{"a multicast MAC registers nobody", "mac=01:00:5e:00:00:01", "true", ""},
		{"a new MAC is registered", "mac=52:54:00:00:00:09", "true", "worker-01"},
		{"an injected host name is nobody's", "hostname=bound%0aset%20x%20y", "true", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t, "IPXE_CP_STRICT_IDENTITY", c.env)
			s.file("state/workers.yml", ledger)
			s.file("dnsmasq/dhcp-hosts.conf", hosts)
			s.start()
			got := s.boot(c.query)
			if c.want == "" && got != nobody || c.want != "" && !strings.Contains(got, "\nset hostname "+c.want+"\n") {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

func TestAStrangerWithAnotherWorkersNameIsAuditedOnce(t *testing.T) {
	s := newSite(t)
	s.file("state/workers.yml", "workers:\n  victim: {hostname: victim, arch: x86_64, state: registered, disks: []}\n")
	s.file("dnsmasq/dhcp-hosts.conf", "52:54:00:00:00:01,victim\n")
	s.env["IPXE_CP_AUTO_REGISTER"] = "false"
	s.start()
	for range 3 {
		if got := s.boot("mac=52:54:00:00:00:09&hostname=victim"); got != nobody {
			t.Errorf("got\n%s", got)
		}
	}
	if ops := s.operations("op=boot.identity_mismatch"); len(ops) != 1 || ops[0].Status != "ok" || ops[0].WorkerID != "victim" {
		t.Errorf("%+v", ops)
	}
}

func TestRegistrationByItselfCanBeOffAndHasALimit(t *testing.T) {
	s := newSite(t, "IPXE_CP_MAX_WORKERS", "2").start()
	if a := s.want(200, "GET", "/settings/auto-register", ""); string(a.body) != `{"enabled":true,"source":"env"}` {
		t.Errorf("%s", a)
	}
	s.boot("mac=52:54:00:00:00:01")
	if a := s.want(200, "PUT", "/settings/auto-register", `{"enabled":false}`); string(a.body) != `{"enabled":false,"source":"settings"}` {
		t.Errorf("%s", a)
	}
	if got := s.boot("mac=52:54:00:00:00:02"); got != nobody {
		t.Errorf("while off got\n%s", got)
	}
	s.restart()
	if a := s.want(200, "GET", "/settings/auto-register", ""); string(a.body) != `{"enabled":false,"source":"settings"}` {
		t.Errorf("after a restart %s", a)
	}
	s.want(200, "PUT", "/settings/auto-register", `{"enabled":true}`)
	if got := s.boot("mac=52:54:00:00:00:02"); !strings.Contains(got, "worker-02") {
		t.Errorf("on again got\n%s", got)
	}
	if got := s.boot("mac=52:54:00:00:00:03"); got != nobody {
		t.Errorf("beyond the limit got\n%s", got)
	}
	ops := s.operations("op=settings.auto_register")
	if len(ops) != 4 || ops[0].Status != "started" || ops[1].Status != "succeeded" || ops[1].Ref != ops[0].ID {
		t.Errorf("%+v", ops)
	}
}

func TestTheNextNameIsAboveAllIDsHostnamesAndBindings(t *testing.T) {
	s := newSite(t)
	s.file("state/workers.yml", `workers:
  worker-03: {hostname: other, arch: x86_64, state: registered, disks: []}
  x: {hostname: worker-7, arch: x86_64, state: registered, disks: []}
  worker-1234567890: {hostname: many, arch: x86_64, state: registered, disks: []}
`)
	s.file("dnsmasq/dhcp-hosts.conf", "52:54:00:00:00:01,worker-11\n")
	s.file("state/settings.json", `{"retired":["worker-12","worker-14"]}`)
	s.start()
	for i, want := range []string{"worker-13", "worker-15", "worker-16"} {
		if got := s.boot(fmt.Sprintf("mac=52:54:00:00:01:%02x", i)); !strings.Contains(got, "\nset hostname "+want+"\n") {
			t.Errorf("want %s got\n%s", want, got)
		}
	}
}

func TestOneMachineAskingManyTimesAtOnceGetsOneName(t *testing.T) {
	s := newSite(t).start()
	var wg sync.WaitGroup
	got := make([]string, 16)
	for i := range got {
		wg.Go(func() { got[i] = string(s.call("GET", "/boot-vars?mac=52:54:00:00:00:01", "").body) })
	}
	wg.Wait()
	for _, g := range got {
		if g != got[0] || !strings.Contains(g, "worker-01") {
			t.Errorf("got\n%s", g)
		}
	}
	if n := len(s.operations("op=auto_register")); n != 1 {
		t.Errorf("%d registrations in the trail", n)
	}
}

func TestAKnownMachineBootsWhileANodeHangs(t *testing.T) {
	n := nodetest.Start(t)
	s := newSite(t)
	s.agents(map[string]*nodetest.Node{"st1": n})
	s.start()
	s.boot("mac=52:54:00:00:00:01")
	n.Hold()
	done := make(chan answer, 1)
	go func() {
		done <- s.call("POST", "/workers/worker-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)
	}()
	eventually(t, "the node was asked", func() bool { return strings.Contains(fmt.Sprint(n.Calls()), "POST /lun/disk") })
	for i := range 50 {
		s.boot("mac=52:54:00:00:00:01")
		if i == 25 {
			s.boot("mac=52:54:00:00:00:02")
		}
	}
	if a := s.want(409, "DELETE", "/workers/worker-01", ""); !strings.Contains(string(a.body), "the ubuntu disk of worker worker-01 is being made by task ") {
		t.Errorf("%s", a)
	}
	s.want(200, "PUT", "/workers/worker-01/mac", `{"mac":"52:54:00:00:00:0a"}`)
	n.Release()
	if a := <-done; a.status != 201 {
		t.Errorf("%s", a)
	}
}

func TestBootVarsNeverFailForWhatAMachineSends(t *testing.T) {
	s := newSite(t, "IPXE_CP_TOKEN", "secret-token").start()
	for _, q := range []string{"mac=%00", "mac=" + strings.Repeat("a", 5000), "hostname=%ff%fe", "hostname=..%2f..", "mac=1&mac=2", "hostname=${x}", "format="} {
		a := s.call("GET", "/boot-vars?"+q, "")
		if a.status != 200 || string(a.body) != nobody || !strings.HasPrefix(a.header.Get("Content-Type"), "text/plain") {
			t.Errorf("%.40s: %s", q, a)
		}
	}
	if a := s.call("GET", "/boot-vars?format=xml", ""); a.status != 400 || !strings.Contains(string(a.body), `format \"xml\" is neither ipxe nor json`) {
		t.Errorf("%s", a)
	}
	if a := s.call("GET", "/boot-vars?format=json", ""); a.status != 200 || string(a.body) != "{}" {
		t.Errorf("%s", a)
	}
}
