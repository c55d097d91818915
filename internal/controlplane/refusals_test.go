package controlplane

import (
	"fmt"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

// refusalSite has worker pc-01 (bound, a ubuntu disk), worker bare (bound, no
// disk), a hand-made binding, and node st1 with disk role, cdonly without.
func refusalSite(t *testing.T) (*site, *nodetest.Node) {
	t.Helper()
	n := nodetest.Start(t)
	s := newSite(t)
	s.agents(map[string]*nodetest.Node{"st1": n})
	s.file("config/agents.yml", s.read("config/agents.yml")+
		"  cdonly: {base_url: \"http://127.0.0.1:1\", role: {cd: true}}\n"+
		"  off: {base_url: \"http://127.0.0.1:1\", role: {disk: true}, enabled: false}\n"+
		"  gone: {base_url: \"http://127.0.0.1:1\", role: {disk: true}}\n")
	s.file("dnsmasq/dhcp-hosts.conf", "52:54:00:00:00:77,hand-made\n")
	s.start()
	s.want(201, "POST", "/workers", `{"worker_id":"pc-01","mac":"52:54:00:00:00:01"}`)
	s.want(201, "POST", "/workers", `{"worker_id":"bare","mac":"52:54:00:00:00:02","hostname":"bare-host"}`)
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G","disk_agent":"st1"}`)
	return s, n
}

func TestEveryRefusalHasItsStatusAndSentenceAndChangesNothing(t *testing.T) {
	s, n := refusalSite(t)
	long := strings.Repeat("a", 64)
	const lunPath = "/workers/pc-01/luns/disk"
	for _, c := range []struct {
		method, path, body string
		status             int
		code, detail       string
	}{
		// identity
		{"POST", "/workers", `{`, 400, "invalid", "the body is not valid JSON: unexpected EOF"},
		{"POST", "/workers", `{"mac":"52:54:00:00:00:09"}`, 400, "invalid", `worker id "" is not made of a-z, 0-9, '.', '_' and '-', starting with a letter or digit, at most 63`},
		{"POST", "/workers", `{"worker_id":"../x","mac":"52:54:00:00:00:09"}`, 400, "invalid", `worker id "../x" is not made of a-z, 0-9, '.', '_' and '-', starting with a letter or digit, at most 63`},
		{"POST", "/workers", `{"worker_id":"` + long + `","mac":"52:54:00:00:00:09"}`, 400, "invalid", `worker id "` + long + `" is not made of a-z, 0-9, '.', '_' and '-', starting with a letter or digit, at most 63`},
		{"POST", "/workers", `{"worker_id":"n","mac":""}`, 400, "invalid", `mac "" is not a MAC address such as 00:0c:29:b9:8b:2d`},
		{"POST", "/workers", `{"worker_id":"n","mac":"52:54:00:00:00:0g"}`, 400, "invalid", `mac "52:54:00:00:00:0g" is not a MAC address such as 00:0c:29:b9:8b:2d`},
		{"POST", "/workers", `{"worker_id":"n","mac":"00:00:00:00:00:00"}`, 400, "invalid", `mac "00:00:00:00:00:00" is all zero`},
		{"POST", "/workers", `{"worker_id":"n","mac":"ff:ff:ff:ff:ff:ff"}`, 400, "invalid", `mac "ff:ff:ff:ff:ff:ff" is the broadcast address`},
		{"POST", "/workers", `{"worker_id":"n","mac":"01:54:00:00:00:09"}`, 400, "invalid", `mac "01:54:00:00:00:09" is a multicast address`},
		{"POST", "/workers", `{"worker_id":"n","mac":"52:54:00:00:00:09","hostname":"a.b"}`, 400, "invalid", `hostname "a.b" is not one DNS label: letters, digits and inner hyphens, at most 63`},
		{"POST", "/workers", `{"worker_id":"n","mac":"52:54:00:00:00:09","hostname":"a\nset x y"}`, 400, "invalid", `hostname "a\nset x y" is not one DNS label: letters, digits and inner hyphens, at most 63`},
		{"POST", "/workers", `{"worker_id":"n.1","mac":"52:54:00:00:00:09"}`, 400, "invalid", `hostname "n.1" is not one DNS label: letters, digits and inner hyphens, at most 63`},
		{"POST", "/workers", `{"worker_id":"n","mac":"52:54:00:00:00:09","hostname":"12345"}`, 400, "invalid", `hostname "12345" would be read by dnsmasq as a lease time in seconds`},
		{"POST", "/workers", `{"worker_id":"n","mac":"52:54:00:00:00:09","hostname":"10m"}`, 400, "invalid", `hostname "10m" would be read by dnsmasq as a lease time`},
		{"POST", "/workers", `{"worker_id":"n","mac":"52:54:00:00:00:09","hostname":"infinite"}`, 400, "invalid", `hostname "infinite" would be read by dnsmasq as an endless lease`},
		{"POST", "/workers", `{"worker_id":"n","mac":"52:54:00:00:00:09","hostname":"ignore"}`, 400, "invalid", `hostname "ignore" would be read by dnsmasq as an order to ignore the machine`},
		{"POST", "/workers", `{"worker_id":"n","mac":"52:54:00:00:00:09","arch":"x86\nboot"}`, 400, "invalid", `arch "x86\nboot" is not made of a-z, 0-9 and '_', at most 32`},
		{"POST", "/workers", `{"worker_id":"n","mac":"52:54:00:00:00:09","windows_iso":"../win.iso"}`, 400, "invalid", `iso "../win.iso" starts with '.' or '-'`},
		{"POST", "/workers", `{"worker_id":"n","mac":"52:54:00:00:00:09","boot":{"menu_default":"ubuntu\nreboot"}}`, 400, "invalid", `menu item "ubuntu\nreboot" is not one of windows, ubuntu, debian, centos, esxi, menu-diag, menu-install, config, shell, reboot, exit`},
		{"POST", "/workers", `{"worker_id":"n","mac":"52:54:00:00:00:09","boot":{"menu_timeout":-5}}`, 400, "invalid", `menu_timeout -5 is not a number of milliseconds from 0 to 2147483647`},
		{"POST", "/workers", `{"worker_id":"pc-01","mac":"52:54:00:00:00:09"}`, 409, "exists", `worker pc-01 exists`},
		{"POST", "/workers", `{"worker_id":"n","mac":"52:54:00:00:00:01"}`, 409, "exists", `mac 52:54:00:00:00:01 is bound to pc-01`},
		{"POST", "/workers", `{"worker_id":"n","mac":"52:54:00:00:00:77"}`, 409, "exists", `mac 52:54:00:00:00:77 is bound to hand-made`},
		{"POST", "/workers", `{"worker_id":"n","mac":"52:54:00:00:00:09","hostname":"hand-made"}`, 409, "exists", `hostname hand-made is bound to mac 52:54:00:00:00:77`},
		{"POST", "/workers", `{"worker_id":"n","mac":"52:54:00:00:00:09","hostname":"bare-host"}`, 409, "exists", `hostname bare-host belongs to worker bare`},
		{"POST", "/workers", `{"worker_id":"bare-host","mac":"52:54:00:00:00:09","hostname":"q"}`, 409, "exists", `worker id bare-host is the hostname of worker bare`},
		{"POST", "/workers", `{"worker_id":"n","mac":"52:54:00:00:00:09","hostname":"bare"}`, 409, "exists", `hostname bare is the id of another worker`},
		{"GET", "/workers/nope", ``, 404, "not_found", `worker nope not found`},
		{"GET", "/workers/..%2fx", ``, 400, "invalid", `worker id "../x" is not made of a-z, 0-9, '.', '_' and '-', starting with a letter or digit, at most 63`},
		// MAC
		{"PUT", "/workers/nope/mac", `{"mac":"52:54:00:00:00:09"}`, 404, "not_found", `worker nope not found`},
		{"PUT", "/workers/pc-01/mac", `{}`, 400, "invalid", `mac "" is not a MAC address such as 00:0c:29:b9:8b:2d`},
		{"PUT", "/workers/pc-01/mac", `{"mac":5}`, 400, "invalid", `mac must be a string, not a JSON number`},
		{"PUT", "/workers/pc-01/mac", `{"mac":"52:54:00:00:00:02"}`, 409, "exists", `mac 52:54:00:00:00:02 is bound to bare-host`},
		// boot choice
		{"PUT", "/workers/nope/default-os", `{"os":"ubuntu"}`, 404, "not_found", `worker nope not found`},
		{"PUT", "/workers/pc-01/default-os", `{}`, 400, "invalid", `none of os, menu_default and menu_timeout is given`},
		{"PUT", "/workers/pc-01/default-os", `{"os":"beos"}`, 400, "invalid", `os "beos" is not one of windows, ubuntu, debian, centos, esxi`},
		{"PUT", "/workers/pc-01/default-os", `{"os":"windows"}`, 400, "invalid", `worker pc-01 has no disk for windows; attached: ubuntu`},
		{"PUT", "/workers/bare/default-os", `{"os":"ubuntu"}`, 409, "conflict", `worker bare has no disk to boot ubuntu from`},
		{"PUT", "/workers/pc-01/default-os", `{"os":"ubuntu","menu_timeout":-1}`, 400, "invalid", `menu_timeout -1 is not a number of milliseconds from 0 to 2147483647`},
		{"PUT", "/workers/pc-01/default-os", `{"os":"ubuntu","menu_timeout":1.5}`, 400, "invalid", `menu_timeout must be a whole number`},
		{"PUT", "/workers/pc-01/default-os", `{"menu_timeout":"5"}`, 400, "invalid", `menu_timeout must be a whole number, not a JSON string`},
		{"PUT", "/workers/pc-01/default-os", `{"os":"ubuntu","menu_default":"x"}`, 400, "invalid", `menu item "x" is not one of windows, ubuntu, debian, centos, esxi, menu-diag, menu-install, config, shell, reboot, exit`},
		// disks
		{"POST", "/workers/nope/luns/disk", `{"os":"debian","type":"empty","size":"1G"}`, 404, "not_found", `worker nope not found`},
		{"POST", lunPath, `{"type":"empty","size":"1G"}`, 400, "invalid", `os "" is not one of windows, ubuntu, debian, centos, esxi`},
		{"POST", lunPath, `{"os":"debian"}`, 400, "invalid", `type "" is not one of master, empty, existing`},
		{"POST", lunPath, `{"os":"debian","type":"empty"}`, 400, "invalid", `size "" is not a number with an optional K, M, G or T`},
		{"POST", lunPath, `{"os":"debian","type":"empty","size":"0"}`, 400, "invalid", `size "0" is less than 1M`},
		{"POST", lunPath, `{"os":"debian","type":"empty","size":"-1G"}`, 400, "invalid", `size "-1G" is not a number with an optional K, M, G or T`},
		{"POST", lunPath, `{"os":"debian","type":"empty","size":"1e3G"}`, 400, "invalid", `size "1e3G" is not a number with an optional K, M, G or T`},
		{"POST", lunPath, `{"os":"debian","type":"empty","size":"65T"}`, 400, "invalid", `size "65T" is more than 64T`},
		{"POST", lunPath, `{"os":"debian","type":"empty","size":"1G","name":"a_tpl_b.img"}`, 400, "invalid", `name "a_tpl_b.img" is given, but a disk of type empty has no master`},
		{"POST", lunPath, `{"os":"debian","type":"master","name":"a_tpl_b.img","size":"1G"}`, 400, "invalid", `size "1G" is given, but a disk of type master has its master's size`},
		{"POST", lunPath, `{"os":"debian","type":"master","name":"plain.img"}`, 400, "invalid", `master "plain.img" does not carry _tpl_ in its name`},
		{"POST", lunPath, `{"os":"debian","type":"master","name":"../a_tpl_.img"}`, 400, "invalid", `master "../a_tpl_.img" starts with '.' or '-'`},
		{"POST", lunPath, `{"os":"debian","type":"master","name":"a_tpl_;rm.img"}`, 400, "invalid", `master "a_tpl_;rm.img" is not one file name of A-Z, a-z, 0-9, '.', '_' and '-'`},
		{"POST", lunPath, `{"os":"debian","type":"existing","size":"1G"}`, 400, "invalid", `name or size is given, but a disk of type existing is the file that was kept`},
		{"POST", lunPath, `{"os":"ubuntu","type":"empty","size":"1G"}`, 409, "exists", `worker pc-01 already has a disk for ubuntu`},
		{"POST", lunPath, `{"os":"debian","type":"empty","size":"1G","disk_agent":"nope"}`, 404, "not_found", `agent nope not found`},
		{"POST", lunPath, `{"os":"debian","type":"empty","size":"1G","disk_agent":"no pe"}`, 400, "invalid", `agent id "no pe" is not made of a-z, 0-9, '.', '_' and '-', starting with a letter or digit, at most 63`},
		{"POST", lunPath, `{"os":"debian","type":"empty","size":"1G","disk_agent":"cdonly"}`, 400, "invalid", `agent cdonly is not configured for disk role`},
		{"POST", lunPath, `{"os":"debian","type":"empty","size":"1G","disk_agent":"off"}`, 400, "invalid", `agent off is disabled`},
		{"DELETE", "/workers/pc-01/luns/disk/beos", ``, 400, "invalid", `os "beos" is not one of windows, ubuntu, debian, centos, esxi`},
		{"DELETE", "/workers/pc-01/luns/disk/windows", ``, 404, "not_found", `worker pc-01 has no disk for windows`},
		{"DELETE", "/workers/nope/luns/disk/windows", ``, 404, "not_found", `worker nope not found`},
		{"DELETE", "/workers/pc-01/luns/disk/ubuntu?delete_file=maybe", ``, 400, "invalid", `delete_file="maybe" is neither true nor false`},
		{"DELETE", "/workers/nope", ``, 404, "not_found", `worker nope not found`},
		{"DELETE", "/workers/pc-01?force=2", ``, 400, "invalid", `force="2" is neither true nor false`},
		// the rest
		{"GET", "/operations?limit=0", ``, 400, "invalid", `limit="0" is not a number from 1 to 10000`},
		{"GET", "/operations?limit=10001", ``, 400, "invalid", `limit="10001" is not a number from 1 to 10000`},
		{"GET", "/operations?since=-1", ``, 400, "invalid", `since="-1" is not a number from 0 to 9223372036854775807`},
		{"GET", "/agents?live=x", ``, 400, "invalid", `live="x" is neither true nor false`},
		{"PUT", "/settings/auto-register", `{}`, 400, "invalid", `enabled is missing; it must be true or false`},
		{"PUT", "/settings/auto-register", `{"enabled":"yes"}`, 400, "invalid", `enabled must be a boolean, not a JSON string`},
		{"GET", "/nope", ``, 404, "not_found", `no such path: /nope`},
		{"PATCH", "/workers", ``, 405, "method_not_allowed", `PATCH is not allowed on /workers`},
	} {
		t.Run(fmt.Sprintf("%s %s %.60s", c.method, c.path, c.body), func(t *testing.T) {
			calls := len(n.Calls())
			s.noFileChanged("a refusal", func() {
				a := s.call(c.method, c.path, c.body)
				e := decode[api.Error](t, a)
				if a.status != c.status || e.Code != c.code || e.Detail != c.detail || e.RequestID == "" {
					t.Errorf("want %d %s %q\ngot  %s", c.status, c.code, c.detail, a)
				}
			})
			if got := n.Calls()[calls:]; len(got) != 0 {
				t.Errorf("a node heard of it: %v", got)
			}
		})
	}
}

func TestANodesOwnWordsComeWithItsID(t *testing.T) {
	s, n := refusalSite(t)
	for _, c := range []struct {
		body   string
		status int
		want   string
	}{
		{`{"os":"debian","type":"master","name":"none_tpl_1.img","disk_agent":"st1"}`, 404, `"detail":{"agent":"st1","error":"master none_tpl_1.img not found"},"code":"not_found"`},
		{`{"os":"debian","type":"existing","disk_agent":"st1"}`, 404, `"detail":{"agent":"st1","error":"file pc-01.debian.img not found"},"code":"not_found"`},
		{`{"os":"debian","type":"empty","size":"1G","disk_agent":"gone"}`, 503, `"detail":{"agent":"gone","error":"unreachable: connect: connection refused"},"code":"agent_unreachable"`},
	} {
		s.noFileChanged(c.body, func() {
			if a := s.call("POST", "/workers/pc-01/luns/disk", c.body); a.status != c.status || !strings.Contains(string(a.body), c.want) {
				t.Errorf("%s: %s", c.body, a)
			}
		})
	}
	n.Token = "changed"
	a := s.call("POST", "/workers/pc-01/luns/disk", `{"os":"debian","type":"empty","size":"1G","disk_agent":"st1"}`)
	if want := `"detail":{"agent":"st1","error":"unauthorized"},"code":"agent_unauthorized"`; a.status != 502 || !strings.Contains(string(a.body), want) {
		t.Errorf("%s", a)
	}
}

func TestWithoutAHealthyNodeADiskIsUnavailable(t *testing.T) {
	s := newSite(t).start()
	s.want(201, "POST", "/workers", `{"worker_id":"pc-01","mac":"52:54:00:00:00:01"}`)
	body := `{"os":"ubuntu","type":"empty","size":"1G"}`
	if a := s.want(503, "POST", "/workers/pc-01/luns/disk", body); decode[api.Error](t, a).Detail != "no enabled agent has the disk role" {
		t.Errorf("%s", a)
	}
	s.file("config/agents.yml", "agents:\n  gone: {base_url: \"http://127.0.0.1:1\", role: {disk: true}}\n")
	eventually(t, "the edit is seen", func() bool { return strings.Contains(string(s.want(200, "GET", "/agents", "").body), "gone") })
	want := "no agent with the disk role is healthy: agent gone: unreachable: connect: connection refused"
	if a := s.want(503, "POST", "/workers/pc-01/luns/disk", body); decode[api.Error](t, a).Detail != want {
		t.Errorf("%s", a)
	}
}

func TestATokenGuardsAllButHealthAndBoot(t *testing.T) {
	s := newSite(t, "IPXE_CP_TOKEN", "full-token-1", "IPXE_CP_VIEW_TOKEN", "view-token-1").start()
	for _, path := range []string{"/healthz", "/readyz", "/boot-vars?hostname=x"} {
		s.want(200, "GET", path, "")
	}
	for _, path := range []string{"/workers", "/workers/x", "/agents", "/operations", "/settings/auto-register"} {
		if a := s.call("GET", path, ""); a.status != 401 || decode[api.Error](t, a).Detail != "unauthorized" {
			t.Errorf("%s: %s", path, a)
		}
	}
	if a := s.call("GET", "/workers", "", "Authorization", "Bearer view-token-1"); a.status != 200 {
		t.Errorf("%s", a)
	}
	body := `{"worker_id":"pc-01","mac":"52:54:00:00:00:01"}`
	if a := s.call("POST", "/workers", body, "Authorization", "Bearer view-token-1"); a.status != 403 {
		t.Errorf("%s", a)
	}
	if a := s.call("POST", "/workers", body, "Authorization", "Bearer full-token-1"); a.status != 201 {
		t.Errorf("%s", a)
	}
}
