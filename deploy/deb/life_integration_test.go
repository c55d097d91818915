//go:build integration

package deb

import (
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/lab"
)

const target = "iqn.2026-07.com.example.site:pc-01.debian"

func TestThePackagesInstallStartUpgradeAndGoWithoutTouchingData(t *testing.T) {
	h := newHost(t)
	old := h.release("v1.0.0")
	h.controlPlane(old)
	h.dnsmasq()
	h.console(old)
	h.agent(old)
	h.units()
	h.checks()
	workers, images := h.read("/var/lib/ipxe-all-ready/state/workers.yml"), h.sum()
	h.tokenFile()
	h.wrongSetting()
	next := h.release("v1.1.0")
	h.upgrade(next)
	h.consoleUpgrade(next)
	h.watchdog()
	h.configfs()
	h.rotation()
	h.consoleRemoval()
	h.removal()
	if got := h.read("/var/lib/ipxe-all-ready/state/workers.yml"); got != workers {
		t.Errorf("the ledger was\n%s\nand is\n%s", workers, got)
	}
	if got := h.sum(); got != images {
		t.Errorf("the images were %s and are %s", images, got)
	}
	h.again(old)
}

func (h host) sum() string { return h.must("sha256sum", "/srv/images/pc-01.debian.img") }

func (h host) controlPlane(release string) {
	h.wantIn("the token of its API is in /etc/ipxe-all-ready/ipxe-cp.token.env", "dpkg", "-i", h.deb(release, "ipxe-cp"))
	h.want("active", "systemctl", "is-active", "ipxe-cp")
	h.want("enabled", "systemctl", "is-enabled", "ipxe-cp")
	h.want("serving", "systemctl", "show", "--value", "--property=StatusText", "ipxe-cp")
	h.want("ipxe", "stat", "-c", "%U", "/var/lib/ipxe-all-ready/dnsmasq/dhcp-hosts.conf")
	h.want("root 600", "stat", "-c", "%U %a", "/etc/ipxe-all-ready/ipxe-cp.token.env")
	h.wantIn("unauthorized", "curl", "-sS", "http://127.0.0.1:4839/workers")
	if got := h.api("ipxe-cp", "/workers"); got != "[]" {
		h.t.Fatalf("a new site has %s", got)
	}
}

// dnsmasq runs as the control plane's user, which reloads it.
func (h host) dnsmasq() {
	h.must("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "eth1")
	h.must("ip", "address", "add", "192.168.80.1/24", "dev", "eth0")
	h.must("ip", "link", "set", "eth0", "up")
	h.must("ip", "link", "set", "eth1", "up")
	h.must("systemctl", "enable", "--now", "ipxe-dnsmasq")
	h.until("read /var/lib/ipxe-all-ready/dnsmasq/dhcp-hosts.conf", "journalctl", "--no-pager", "-u", "ipxe-dnsmasq")
	got := decode[map[string]any](h.t, h.api("ipxe-cp", "/workers", "-d", `{"worker_id":"pc-01","mac":"52:54:00:00:00:01"}`))
	if got["worker_id"] != "pc-01" || got["dnsmasq_reloaded"] == false {
		h.t.Errorf("a new worker is %v", got)
	}
	h.want("52:54:00:00:00:01,pc-01", "tail", "-n", "1", "/var/lib/ipxe-all-ready/dnsmasq/dhcp-hosts.conf")
	h.wantIn(`"status":"ok"`, "grep", `"op":"dnsmasq.reload"`, "/var/lib/ipxe-all-ready/state/operations.jsonl")
	h.want("ipxe", "ps", "-o", "user=", "-C", "dnsmasq")
	// What a booting machine gets, through the links to iPXE as well.
	for _, file := range []string{"boot.ipxe", "undionly.kpxe"} {
		h.wantIn("", "curl", "-sS", "--max-time", "10", "-o", "/root/"+file, "tftp://192.168.80.1/"+file)
		h.want("", "cmp", "/root/"+file, "/etc/ipxe-all-ready/tftp/"+file)
	}
}

func (h host) agent(release string) {
	h.wantIn("not started; set IPXE_DISK_DIR", "dpkg", "-i", h.deb(release, "ipxe-agent"), h.deb(release, "ipxe-tui"), h.deb(release, "ipxe-all-ready-doc"))
	h.want("inactive", "systemctl", "show", "--value", "--property=ActiveState", "ipxe-agent")
	h.must("mkdir", "/srv/images")
	env := h.read("/etc/ipxe-all-ready/ipxe-agent.env")
	for _, name := range []string{"IPXE_DISK_DIR", "IPXE_IQN_BASE", "IPXE_BACKEND", "IPXE_TGTD"} {
		env = strings.Replace(env, "#"+name+"=", name+"=", 1)
	}
	h.write("/etc/ipxe-all-ready/ipxe-agent.env", env)
	h.must("systemctl", "start", "ipxe-agent")
	h.until(`{"status":"ready"}`, "curl", "-sS", "-H", "Authorization: Bearer "+h.token("ipxe-agent"), "http://127.0.0.1:4840/readyz")
	h.api("ipxe-agent", "/lun/disk", "-d", `{"iqn":"`+target+`","size":"16M"}`)
	h.wantIn(target, "iscsi-ls", "iscsi://127.0.0.1")
	if got := h.run("cat", "/proc/"+h.must("pidof", "tgtd")+"/environ"); strings.Contains(got, "IPXE_") || strings.Contains(got, "NOTIFY_SOCKET") {
		h.t.Errorf("tgtd has the agent's environment: %q", got)
	}
	if h.exists("/srv/ipxe-agent.jsonl") || !h.exists("/var/lib/ipxe-agent/ipxe-agent.jsonl") {
		h.t.Error("the operation log is not where logrotate looks")
	}
}

// checks: both daemons find their own host in order, beside themselves running.
func (h host) checks() {
	for daemon, user := range map[string]string{"ipxe-cp": "ipxe", "ipxe-agent": "root"} {
		script := "cd /etc/ipxe-all-ready; set -a; . ./" + daemon + ".env; . ./" + daemon + ".token.env; setpriv --reuid=" + user + " --clear-groups " + daemon + " --check"
		h.wantIn(daemon+": 0 faults", "sh", "-c", script)
	}
}

// units holds them against systemd's own judgement.
func (h host) units() {
	for unit, most := range map[string]string{"ipxe-cp": "20", "ipxe-dnsmasq": "40", "ipxe-agent": "45"} {
		h.want("", "systemd-analyze", "verify", unit+".service")
		h.wantIn("Overall exposure level", "systemd-analyze", "security", "--no-pager", "--threshold="+most, unit+".service")
	}
	// What the control plane may not.
	pid := h.property("ipxe-cp", "MainPID")
	h.want("CapEff:\t0000000000000000", "grep", "CapEff", "/proc/"+pid+"/status")
	h.want("NoNewPrivs:\t1", "grep", "NoNewPrivs", "/proc/"+pid+"/status")
}

// tokenFile: one that the daemon's group may read is its owner's choice, one that
// lies open is told, and used all the same.
func (h host) tokenFile() {
	h.write("/etc/ipxe-cp.token", "a-token-that-is-long\n")
	h.must("chown", "root:ipxe", "/etc/ipxe-cp.token")
	h.write("/etc/systemd/system/ipxe-cp.service.d/token.conf", "[Service]\nUnsetEnvironment=IPXE_CP_TOKEN\nEnvironment=IPXE_CP_TOKEN_FILE=/etc/ipxe-cp.token\n")
	h.must("systemctl", "daemon-reload")
	for mode, told := range map[string]string{"640": "0", "644": "1"} {
		h.must("chmod", mode, "/etc/ipxe-cp.token")
		h.must("systemctl", "restart", "ipxe-cp")
		h.want("[]", "curl", "-sS", "-H", "Authorization: Bearer a-token-that-is-long", "http://127.0.0.1:4839/tasks")
		h.want(told, "sh", "-c", "journalctl --sync; journalctl --no-pager _PID="+h.property("ipxe-cp", "MainPID")+" | grep -c 'can be read by every user of this host' || true")
	}
	h.must("rm", "/etc/systemd/system/ipxe-cp.service.d/token.conf", "/etc/ipxe-cp.token")
	h.must("systemctl", "daemon-reload")
	h.must("systemctl", "restart", "ipxe-cp")
}

// wrongSetting is told once and not tried for ever.
func (h host) wrongSetting() {
	h.write("/etc/systemd/system/ipxe-cp.service.d/wrong.conf", "[Service]\nEnvironment=IPXE_CP_AGENT_PARALLEL=many\n")
	h.must("systemctl", "daemon-reload")
	h.run("systemctl", "restart", "ipxe-cp")
	h.until("failed", "systemctl", "is-active", "ipxe-cp")
	h.want("78 0", "sh", "-c", "echo $(systemctl show --value --property=ExecMainStatus ipxe-cp) $(systemctl show --value --property=NRestarts ipxe-cp)")
	h.until(`IPXE_CP_AGENT_PARALLEL "many" is not a whole number from 1 to 64`, "journalctl", "--no-pager", "-u", "ipxe-cp")
	h.must("rm", "/etc/systemd/system/ipxe-cp.service.d/wrong.conf")
	h.must("systemctl", "daemon-reload")
	h.must("systemctl", "restart", "ipxe-cp")
}

// upgrade replaces both daemons while machines run from tgtd.
func (h host) upgrade(release string) {
	tgtd := h.must("pidof", "tgtd")
	h.must("dpkg", "-i", h.deb(release, "ipxe-cp"), h.deb(release, "ipxe-agent"))
	for _, daemon := range []string{"ipxe-cp", "ipxe-agent"} {
		h.want("active", "systemctl", "is-active", daemon)
		if got := h.api(daemon, "/version"); !strings.Contains(got, `"v1.1.0"`) {
			h.t.Errorf("after the upgrade %s is %s", daemon, got)
		}
	}
	h.want(tgtd, "pidof", "tgtd")
	h.wantIn(target, "iscsi-ls", "iscsi://127.0.0.1")
	h.until("tgtd adopted", "journalctl", "--no-pager", "-u", "ipxe-agent")
	h.wantIn("IPXE_DISK_DIR=/srv/images", "grep", "^IPXE_DISK_DIR", "/etc/ipxe-all-ready/ipxe-agent.env")
	// A new disk is served by the tgtd of the agent before.
	second := strings.Replace(target, "pc-01", "pc-02", 1)
	h.api("ipxe-agent", "/lun/disk", "-d", `{"iqn":"`+second+`","size":"16M"}`)
	h.wantIn(second, "iscsi-ls", "iscsi://127.0.0.1")
}

// watchdog: a daemon that hangs is started again, and tgtd is not touched.
func (h host) watchdog() {
	tgtd := h.must("pidof", "tgtd")
	h.write("/run/systemd/system/ipxe-agent.service.d/quick.conf", "[Service]\nWatchdogSec=10\n") // a busy host holds up a daemon that is well for a second or two
	h.must("systemctl", "daemon-reload")
	h.must("systemctl", "restart", "ipxe-agent")
	pid := h.property("ipxe-agent", "MainPID")
	time.Sleep(12 * time.Second) // longer than it may be silent
	h.want(pid, "systemctl", "show", "--value", "--property=MainPID", "ipxe-agent")
	h.must("kill", "-STOP", pid)
	h.until("1", "systemctl", "show", "--value", "--property=NRestarts", "ipxe-agent")
	h.until("active", "systemctl", "is-active", "ipxe-agent")
	h.want(tgtd, "pidof", "tgtd")
	h.must("rm", "/run/systemd/system/ipxe-agent.service.d/quick.conf")
	h.must("systemctl", "daemon-reload")
}

// configfs: the sandbox has the kernel's target tree, a mount below what is
// read-only, writable. The kernel here may have none; another file system in its
// place is mounted as it is.
func (h host) configfs() {
	h.must("mount", "-t", "tmpfs", "tmpfs", "/sys/kernel")
	h.must("mkdir", "/sys/kernel/config")
	h.must("mount", "-t", "tmpfs", "configfs", "/sys/kernel/config")
	h.must("systemctl", "restart", "ipxe-agent")
	access := map[string]string{}
	for line := range strings.Lines(h.read("/proc/" + h.property("ipxe-agent", "MainPID") + "/mountinfo")) {
		if field := strings.Fields(line); len(field) > 5 { // 36 35 98:0 / /sys/kernel rw,relatime …; the last on a path counts
			access[field[4]], _, _ = strings.Cut(field[5], ",")
		}
	}
	for path, want := range map[string]string{"/sys/kernel/config": "rw", "/sys/kernel": "ro", "/sys": "ro", "/": "ro", "/srv": "rw"} {
		if access[path] != want {
			h.t.Errorf("for the agent %s is %q, want %q", path, access[path], want)
		}
	}
	h.must("umount", "/sys/kernel/config", "/sys/kernel")
	h.must("systemctl", "restart", "ipxe-agent")
}

// rotation: the operation log goes on, the audit trail stays.
func (h host) rotation() {
	h.must("logrotate", "--force", "/etc/logrotate.d/ipxe-agent")
	if !h.exists("/var/lib/ipxe-agent/ipxe-agent.jsonl.1") {
		h.t.Error("the operation log was not rotated")
	}
	h.api("ipxe-agent", "/lun/scan", "-X", "POST")
	h.wantIn(`"op":"scan"`, "cat", "/var/lib/ipxe-agent/ipxe-agent.jsonl")
	h.wantIn("operations.jsonl", "ls", "/var/lib/ipxe-all-ready/state")
}

func (h host) removal() {
	h.must("dpkg", "-r", "ipxe-agent", "ipxe-cp")
	for _, unit := range []string{"ipxe-cp", "ipxe-agent", "ipxe-dnsmasq", "ipxe-agent-tgtd"} {
		h.want("inactive", "systemctl", "show", "--value", "--property=ActiveState", unit)
	}
	for _, program := range []string{"ipxe-cp", "ipxe-agent", "tgtd", "dnsmasq"} {
		if got := h.run("pgrep", "-x", program); !strings.Contains(got, "exit status 1") {
			h.t.Errorf("%s still runs: %s", program, got)
		}
	}
	if !h.exists("/etc/ipxe-all-ready/ipxe-agent.env") || !h.exists("/etc/ipxe-all-ready/ipxe-cp.token.env") {
		h.t.Error("a removal took the settings away")
	}
	out := h.must("dpkg", "-P", "ipxe-agent", "ipxe-cp")
	for _, kept := range []string{"the ledgers in /var/lib/ipxe-all-ready are kept", "the images are kept"} {
		if !strings.Contains(out, kept) {
			h.t.Errorf("purge does not say %q: %s", kept, out)
		}
	}
	h.must("dpkg", "-P", "ipxe-tui", "ipxe-all-ready-doc")
	if h.exists("/etc/ipxe-all-ready") || h.exists("/usr/share/doc/ipxe-all-ready") {
		h.t.Errorf("a purge leaves %s", h.run("find", "/etc/ipxe-all-ready", "/usr/share/doc/ipxe-all-ready"))
	}
	h.want("", "find", "/etc", "/usr", "-name", "ipxe-cp*", "-o", "-name", "ipxe-agent*", "-o", "-name", "ipxe-dnsmasq*")
}

// again: a site that was purged comes back with its machines.
func (h host) again(release string) {
	h.must("dpkg", "-i", h.deb(release, "ipxe-cp"))
	if err := lab.Poll(time.Minute, func() error {
		_, err := h.Run(h.t.Context(), "curl", "-sSf", "http://127.0.0.1:4839/readyz")
		return err
	}); err != nil {
		h.t.Fatal(err)
	}
	if got := h.api("ipxe-cp", "/workers"); !strings.Contains(got, `"worker_id":"pc-01"`) {
		h.t.Errorf("the site has %s", got)
	}
}
