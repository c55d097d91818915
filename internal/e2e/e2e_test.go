//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/site"
)

const (
	mac1    = "52:54:00:00:00:01"
	mac2    = "52:54:00:00:00:02"
	macUEFI = "52:54:00:00:00:03"

	boot    = time.Minute // a machine to its menu or disk; some seconds on an idle host
	uefi    = 4 * time.Minute
	initor  = site.IQNBase + ":worker-01"
	ubuntu  = site.IQNBase + ":worker-01.ubuntu"
	debian  = site.IQNBase + ":worker-01.debian"
	uefiIQN = site.IQNBase + ":uefi-01.ubuntu"
)

// The parts follow each other as a machine's life does: each starts where the
// one before ended.
func TestADisklessMachineBoots(t *testing.T) {
	p := startSite(t)
	node1, node2 := p.Nodes[0], p.Nodes[1]
	master := filepath.Join(node1.Images, "ubuntu_tpl_v1.img")
	must(t, lab.WriteGuestDisk(master, "ubuntu from node-1", lab.BIOS))
	must(t, lab.WriteGuestDisk(filepath.Join(node2.Images, "debian_tpl_v1.img"), "debian from node-2", lab.BIOS))
	must(t, lab.WriteGuestDisk(filepath.Join(node2.Images, "uefi_tpl_v1.img"), "ubuntu for UEFI from node-2", lab.UEFI))
	m1 := p.machine(t, "machine-1", mac1, lab.BIOS)

	part(t, "(a) an unknown machine is registered as worker-01, reboots and asks again", func(t *testing.T) {
		p.Dnsmasq.Log.Skip()
		must(t, m1.PowerOn())
		sees(t, "screen", m1.Screen, `iPXE boot menu: worker-01 `+mac1, boot)
		fileHas(t, p.WorkersFile(), `(?s)worker-01:.*?state: registered`)
		noMACIn(t, p.WorkersFile())
		fileHas(t, p.HostsFile(), `(?m)^`+mac1+`,worker-01$`)
		sees(t, "dnsmasq", p.Dnsmasq.Log, `read `+p.HostsFile(), lab.Patience)
		sees(t, "screen", m1.Screen, `iPXE boot menu: worker-01 `+mac1, boot)
		sees(t, "dnsmasq", p.Dnsmasq.Log, `DHCPACK\(eth0\) \S+ `+mac1+` worker-01`, lab.Patience)
	})

	part(t, "(b) with a disk cloned from a master, its next boot lands in that disk", func(t *testing.T) {
		before, err := os.ReadFile(master)
		must(t, err)
		var w api.Worker
		p.call(t, "POST", "/workers/worker-01/luns/disk", `{"os":"ubuntu","type":"master","name":"ubuntu_tpl_v1.img","disk_agent":"node-1"}`, &w)
		p.call(t, "PUT", "/workers/worker-01/default-os", `{"os":"ubuntu","menu_timeout":500}`, &w)
		if w.State != "ready" || w.DefaultOS != "ubuntu" {
			t.Errorf("the worker is %+v, want it ready with ubuntu as default", w)
		}
		sees(t, "guest", m1.Guest, `GUEST ubuntu from node-1 boot 1\b`, boot)
		session(t, node1, ubuntu, initor)
		after, err := os.ReadFile(master)
		must(t, err)
		if !bytes.Equal(before, after) {
			t.Error("the master has changed")
		}
		if got := bootsCounted(t, filepath.Join(node1.Images, "worker-01.ubuntu.img")); got != 1 {
			t.Errorf("the machine's disk counts %d boots, want 1", got)
		}
	})

	part(t, "(c) a second machine is registered as worker-02", func(t *testing.T) {
		m2 := p.machine(t, "machine-2", mac2, lab.BIOS)
		must(t, m2.PowerOn())
		sees(t, "screen", m2.Screen, `iPXE boot menu: worker-02 `+mac2, boot)
		fileHas(t, p.HostsFile(), `(?m)^`+mac2+`,worker-02$`)
		fileHas(t, p.WorkersFile(), `(?s)worker-02:.*?state: registered`)
	})

	part(t, "(b under UEFI) a machine that a person registered boots the disk cloned for it", func(t *testing.T) {
		p.call(t, "POST", "/workers", `{"worker_id":"uefi-01","mac":"`+macUEFI+`"}`, nil)
		p.call(t, "POST", "/workers/uefi-01/luns/disk", `{"os":"ubuntu","type":"master","name":"uefi_tpl_v1.img","disk_agent":"node-2"}`, nil)
		p.call(t, "PUT", "/workers/uefi-01/default-os", `{"os":"ubuntu","menu_timeout":500}`, nil)
		m := p.machine(t, "machine-uefi", macUEFI, lab.UEFI)
		must(t, m.PowerOn())
		sees(t, "screen", m.Screen, `snponly\.efi`, uefi)
		sees(t, "screen", m.Screen, `iPXE boot menu: uefi-01 `+macUEFI, uefi)
		sees(t, "guest", m.Guest, `GUEST ubuntu for UEFI from node-2`, uefi)
		session(t, node2, uefiIQN, site.IQNBase+":uefi-01")
	})

	part(t, "(d) with another system as default it boots that one's disk on another node", func(t *testing.T) {
		p.call(t, "POST", "/workers/worker-01/luns/disk", `{"os":"debian","type":"master","name":"debian_tpl_v1.img","disk_agent":"node-2"}`, nil)
		p.call(t, "PUT", "/workers/worker-01/default-os", `{"os":"debian"}`, nil)
		must(t, m1.PowerOn())
		sees(t, "guest", m1.Guest, `GUEST debian from node-2 boot 1\b`, boot)
		session(t, node2, debian, initor)
	})

	part(t, "(d) a person picking the first system in the menu still gets the first", func(t *testing.T) {
		p.call(t, "PUT", "/workers/worker-01/default-os", `{"menu_timeout":60000}`, nil)
		must(t, m1.PowerOn())
		sees(t, "screen", m1.Screen, `iPXE boot menu: worker-01`, boot)
		must(t, m1.Press("u"))
		sees(t, "guest", m1.Guest, `GUEST ubuntu from node-1 boot 2\b`, boot)
		session(t, node1, ubuntu, initor)
		p.call(t, "PUT", "/workers/worker-01/default-os", `{"menu_timeout":500}`, nil)
	})

	part(t, "(e) a machine says that the control plane is gone and recovers when it is back", func(t *testing.T) {
		must(t, p.ControlPlane.Stop())
		must(t, m1.PowerOn())
		sees(t, "screen", m1.Screen, `The control plane http://192\.168\.80\.1:4839 does not answer: error 0x[0-9a-f]+`, boot)
		sees(t, "screen", m1.Screen, `Next try in \d+ ms`, boot)
		must(t, p.StartControlPlane())
		sees(t, "guest", m1.Guest, `GUEST debian from node-2 boot 2\b`, boot)
	})

	part(t, "(f) targets come back after their agent's tgtd is killed, and the machine boots again", func(t *testing.T) {
		pid, err := node2.KillTgtd()
		must(t, err)
		t.Logf("tgtd of node-2, process %d, is killed while worker-01 runs from it", pid)
		comesBack(t, node2, debian)
		session(t, node2, debian, initor)
		t.Log("worker-01 has logged in again by itself")
		must(t, m1.PowerOn())
		sees(t, "guest", m1.Guest, `GUEST debian from node-2 boot 3\b`, boot)
		session(t, node2, debian, initor)
	})

	part(t, "(f) targets come back in a tgtd that its host has restarted, and the machine boots again", func(t *testing.T) {
		must(t, node1.Tgtd.Kill())
		t.Log("tgtd of node-1 is killed and started anew, as the host's init would")
		must(t, node1.StartTgtd())
		comesBack(t, node1, ubuntu)
		p.call(t, "PUT", "/workers/worker-01/default-os", `{"os":"ubuntu"}`, nil)
		must(t, m1.PowerOn())
		sees(t, "guest", m1.Guest, `GUEST ubuntu from node-1 boot 3\b`, boot)
		session(t, node1, ubuntu, initor)
	})
}

// part runs one part of the story; what follows a failed one would only
// complain about the same thing.
func part(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	if t.Failed() {
		return
	}
	t.Run(name, func(sub *testing.T) {
		start := time.Now()
		f(sub)
		sub.Logf("took %.1f s", time.Since(start).Seconds())
	})
}

// comesBack waits until the agent shows the target again.
func comesBack(t *testing.T, n *site.Node, iqn string) {
	t.Helper()
	start := time.Now()
	must(t, lab.Poll(time.Minute, func() error {
		_, err := targetOf(n, iqn)
		return err
	}))
	t.Logf("%s has the target %s again after %.1f s", n.ID, iqn, time.Since(start).Seconds())
	var log api.Operations
	must(t, n.Call("GET", "/logs", nil, &log))
	if !regexp.MustCompile(`"op": ?"auto_scan"`).Match(bytes.Join(rawBytes(log), nil)) {
		t.Errorf("%s has no auto_scan in its log", n.ID)
	}
}

func rawBytes(log api.Operations) [][]byte {
	var out [][]byte
	for _, e := range log.Entries {
		out = append(out, e)
	}
	return out
}

// noMACIn holds the rule that the ledger of the workers never has a MAC, so
// that the bindings are the only truth.
func noMACIn(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	if found := regexp.MustCompile(`(?i)([0-9a-f]{2}[:-]){5}[0-9a-f]{2}`).Find(b); found != nil {
		t.Errorf("%s holds the MAC %s", path, found)
	}
}
