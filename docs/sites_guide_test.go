//go:build guide

package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"ipxe-all-ready/internal/lab/debroot"
)

const (
	target = "iqn.2026-07.com.example.site:worker-01.debian"
	script = "set root-debian iscsi:192.168.80.%:::1:" + target
	asks   = "http://192.168.80.1:4839/boot-vars?mac=52%3A54%3A00%3A00%3A00%3A01&hostname="
)

// master is a small one, as a person has made it.
func (r *reader) master() {
	r.t.Helper()
	r.types("mkdir -p /srv/images; head -c 4M /dev/urandom >/srv/images/.new; mv /srv/images/.new /srv/images/debian_tpl_12.img", "")
}

func TestTheGuidesOneMachineServesADisk(t *testing.T) {
	r := newReader(t, "controller")
	r.address("192.168.80.1/24")
	r.gets(release(t, "v1.0.0"), "/root")
	r.follows("1. Install", "")
	r.follows("2. Addresses and boot files", "")
	r.follows("3. Storage", "")
	r.master()
	r.boots(asks, "set hostname worker-01\n")
	r.follows("4. A master and a machine", "")
	r.boots(asks, strings.Replace(script, "%", "1", 1))
	r.holds(r.types("iscsi-ls iscsi://192.168.80.1", ""), target)
	said := r.follows("5. Is all well?", "")
	r.holds(said, "ipxe-cp: 0 faults, 0 warnings", "ipxe-agent: 0 faults", `"status":"ready"`, `"findings":[]`)

	said = r.follows("Tokens", "")
	r.holds(said, `"worker_id":"worker-01"`)
	r.boots("http://127.0.0.1:4840/healthz", "ok")
	r.types("sleep 3", "")
	r.holds(r.types("api $cp/agents", ""), `"health":"ok"`)
	r.holds(r.types("curl -sS -X DELETE -H \"Authorization: Bearer $IPXE_CP_VIEW_TOKEN\" $cp/workers/worker-01", ""), "forbidden")

	r.standsBy()

	r.follows("Your own DHCP server", "")
	r.holds(r.types("ss -lunp; cat /tmp/boot.ipxe", ""), "192.168.80.1:69", "#!ipxe")
	if said := r.types("ss -lunp", ""); strings.Contains(said, ":67 ") {
		t.Errorf("DHCP is served still: %s", said)
	}
	r.boots(asks, strings.Replace(script, "%", "1", 1))
}

func TestTheGuidesControllerAndStorageNodeServeEncryptedAndComeBackFromABackup(t *testing.T) {
	c, s := newReader(t, "controller"), newReader(t, "st1")
	if err := debroot.Wire(c.Machine, s.Machine); err != nil {
		t.Fatal(err)
	}
	c.address("192.168.80.1/24")
	s.address("192.168.80.3/24")
	old := release(t, "v1.0.0")
	c.gets(old, "/root")
	s.gets(old, "/root")
	c.follows("On the controller", "")
	token := regexp.MustCompile(`IPXE_AGENT_TOKEN=(\S+)`).FindStringSubmatch(s.follows("On the storage node", ""))
	if token == nil {
		t.Fatal("the node shows no token")
	}
	c.follows("Enter the node", token[1]+"\n")
	s.master()
	c.boots(asks, "set hostname worker-01\n")
	disk := ` -d '{"os":"debian","type":"master","name":"debian_tpl_12.img"}'`
	c.types("api $cp/workers/worker-01/luns/disk"+disk, "")
	c.boots(asks, strings.Replace(script, "%", "3", 1))

	// A backup, a disk after it, and a new controller.
	c.follows("Backup and restore", "", 0)
	c.types(`api $cp/workers/worker-01/luns/disk -d '{"os":"ubuntu","type":"empty","size":"16M"}'`, "")
	backup, err := os.ReadFile(c.Path("/var/backups/ipxe-all-ready.tgz"))
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	n := newReader(t, "new controller")
	if err := debroot.Wire(n.Machine, s.Machine); err != nil {
		t.Fatal(err)
	}
	n.address("192.168.80.1/24")
	s.address("192.168.80.3/24")
	n.gets(old, "/root")
	n.follows("On the controller", "")
	if err := os.WriteFile(n.Path("/var/backups/ipxe-all-ready.tgz"), backup, 0o600); err != nil {
		t.Fatal(err)
	}
	n.follows("Backup and restore", "", 1)
	n.boots(asks, strings.Replace(script, "%", "3", 1))
	said := n.follows("Backup and restore", "", 2)
	n.holds(said, `"kind":"orphan_target"`, `"fix":"adopt_disk"`)
	id := regexp.MustCompile(`"id":"(orphan_target[^"]*)"`).FindStringSubmatch(said)
	if id == nil {
		t.Fatal(said)
	}
	n.types(`curl -sS -H "Authorization: Bearer $IPXE_CP_TOKEN" http://127.0.0.1:4839/reconcile -d '{"fix":["`+id[1]+`"]}'`, "")
	n.boots(asks, "set root-ubuntu ")

	t.Run("TLS", func(t *testing.T) {
		said := n.follows("TLS", "", 0, 1)
		n.holds(said, `{"status":"ready"}`, "no per-worker boot vars found")
		// A reload of nginx comes back before its old processes have gone.
		n.says("curl -sS http://192.168.80.1:4838/api/cp/readyz", `{"status":"ready"}`)
		n.types("cd /etc/ipxe-all-ready/tls; "+chapter(t, "guide.md", "TLS")[2], "")
		carry(n, s)
		s.follows("TLS", "", 3)
		n.follows("TLS", "", 4)
		n.boots(strings.Replace(asks, "4839", "4841", 1), strings.Replace(script, "%", "3", 1))
		if said := n.types("curl -sS --cacert /etc/ipxe-all-ready/tls/ca.pem https://192.168.80.3:4840/healthz || true", ""); !strings.Contains(said, "certificate required") {
			t.Errorf("a caller without a certificate is told %q", said)
		}
	})
	t.Run("upgrade and back", func(t *testing.T) {
		newer := release(t, "v1.1.0")
		tgtd := s.types("pidof tgtd", "")
		for _, step := range []struct{ dir, version string }{{"/root/newer", "v1.1.0"}, {"/root", "v1.0.0"}} {
			for _, r := range []*reader{n, s} {
				if step.version == "v1.1.0" {
					r.gets(newer, step.dir)
				}
				block := chapter(t, "guide.md", "Upgrade")[0]
				block = strings.Replace(block, "http://127.0.0.1:4839", map[*reader]string{n: "http://127.0.0.1:4841", s: "-k https://192.168.80.3:4840"}[r], 1)
				if r == s {
					block = strings.Replace(block, "curl -sS -k", "curl -sS --cert /etc/ipxe-all-ready/st1.pem --key /etc/ipxe-all-ready/st1.key -k", 1)
				}
				r.types("cd "+step.dir+"\n"+block, "")
				r.holds(r.types("dpkg -l 'ipxe-*'", ""), " "+strings.TrimPrefix(step.version, "v")+" ")
			}
		}
		if got := s.types("pidof tgtd", ""); got != tgtd {
			t.Errorf("tgtd was %s and is %s", tgtd, got)
		}
		n.boots(strings.Replace(asks, "4839", "4841", 1), strings.Replace(script, "%", "3", 1))
	})
}

func TestTheGuidesMoveFromTheOriginalServesItsMachines(t *testing.T) {
	r := newReader(t, "controller")
	r.address("192.168.80.1/24")
	r.gets(release(t, "v1.0.0"), "/root")
	r.follows("1. Install", "")
	r.follows("2. Addresses and boot files", "")
	for name, content := range map[string]string{
		"config/agents.yml":       "agents:\n  st1: {base_url: 'http://192.168.80.3:4840', token: x, iscsi_server: 192.168.80.3, role: {disk: true, cd: true}, tags: [storage, stgt]}\n",
		"state/workers.yml":       "workers:\n  worker-01:\n    hostname: worker-01\n    arch: x86_64\n    state: ready\n    disk: {agent: st1, iqn: '" + target + "', filename: worker-01.debian.img, os: debian, source: {type: master, name: debian_tpl_12.img}}\n    default_os: debian\n",
		"dnsmasq/dhcp-hosts.conf": "52:54:00:00:00:01,worker-01",
	} {
		name = "/srv/ipxe/" + name
		r.types("mkdir -p "+name[:strings.LastIndex(name, "/")]+"; cat >"+name, content)
	}
	for _, p := range parts(t, "guide.md") {
		if p.kind == "sh move" {
			r.holds(r.types(p.text, ""), `{"status":"ready"}`)
		}
	}
	r.boots(asks, strings.Replace(script, "%", "3", 1))
	r.boots("http://192.168.80.1:4839/boot-vars?mac=52%3A54%3A00%3A00%3A00%3A02", "set hostname worker-02\n")
	r.holds(r.types("cat /srv/ipxe/dnsmasq/dhcp-hosts.conf; systemctl restart ipxe-dnsmasq", ""), "52:54:00:00:00:02,worker-02")
	r.says("journalctl --no-pager -u ipxe-dnsmasq", "read /srv/ipxe/dnsmasq/dhcp-hosts.conf") // after it is told to have started
}

// standsBy runs a second control plane on the same ledgers, as another host would
// with a folder that both reach, and kills the first.
func (r *reader) standsBy() {
	r.t.Helper()
	r.holds(r.types(chapter(r.t, "growing.md", "A control plane in reserve")[0], ""), "serving")
	r.types("systemd-run --unit=second -p Type=notify -p NotifyAccess=main -p WatchdogSec=20 -p User=ipxe -p EnvironmentFile=/etc/ipxe-all-ready/ipxe-cp.env "+
		"-p EnvironmentFile=/etc/ipxe-all-ready/ipxe-cp.token.env -E IPXE_CP_LISTEN=:4849 ipxe-cp", "")
	r.says("systemctl show --value --property=StatusText second", "standing by")
	r.types("systemctl kill --signal=KILL ipxe-cp", "")
	r.boots(strings.Replace(asks, "4839", "4849", 1), strings.Replace(script, "%", "1", 1))
	r.says("systemctl show --value --property=StatusText second", "serving")
	r.says("systemctl show --value --property=StatusText ipxe-cp", "standing by") // systemd started it again
	r.types("systemctl stop second", "")
	r.says("systemctl show --value --property=StatusText ipxe-cp", "serving")
	r.boots(asks, strings.Replace(script, "%", "1", 1))
}
