//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/liovm"
	"ipxe-all-ready/internal/lab/site"
)

const (
	kernelNode = "node-lio"
	kernelAddr = "192.168.80.5"
	macBoth    = "52:54:00:00:00:21"
	bothInitor = site.IQNBase + ":both-01"
	onTgtd     = site.IQNBase + ":both-01.ubuntu"
	onKernel   = site.IQNBase + ":both-01.debian"
)

// A worker has one disk on tgtd and one on LIO, the target of a guest's kernel.
func TestAWorkerBootsFromTgtdAndFromLIOByItsDefaultSystem(t *testing.T) {
	p := startSite(t)
	must(t, lab.WriteGuestDisk(filepath.Join(p.Nodes[0].Images, "ubuntu_tpl_v1.img"), "ubuntu on tgtd", lab.BIOS))
	m := p.machine(t, "machine", macBoth, lab.BIOS)
	boots := func(t *testing.T, system, root, says string) {
		t.Helper()
		p.call(t, "PUT", "/workers/both-01/default-os", `{"os":"`+system+`","menu_timeout":500}`, nil)
		must(t, m.PowerOn())
		sees(t, "screen", m.Screen, `Booting `+system+` from `+strings.ReplaceAll(root, ".", `\.`)+`\n`, boot)
		sees(t, "guest", m.Guest, `GUEST `+says+`\b`, boot)
	}

	var node api.PutAgent
	part(t, "a node whose kernel has LIO is registered as it says of itself", func(t *testing.T) { node = p.addKernelNode(t) })

	part(t, "a worker gets a disk on each of the two", func(t *testing.T) {
		p.call(t, "POST", "/workers", `{"worker_id":"both-01","mac":"`+macBoth+`"}`, nil)
		p.call(t, "POST", "/workers/both-01/luns/disk", `{"os":"ubuntu","type":"master","name":"ubuntu_tpl_v1.img","disk_agent":"node-1"}`, nil)
		p.call(t, "POST", "/workers/both-01/luns/disk", `{"os":"debian","type":"master","name":"debian_tpl_v1.img","disk_agent":"`+kernelNode+`"}`, nil)
	})

	part(t, "LIO has no CDs, and says so through the control plane", func(t *testing.T) {
		p.refuses(t, "POST", "/workers/both-01/luns/cd", `{"iso":"tools.iso","cd_agent":"`+kernelNode+`"}`,
			"400 Bad Request", `"agent":"`+kernelNode+`"`, "lio backend does not support cd")
		p.refuses(t, "POST", "/agents/"+kernelNode+"/luns/cd", `{"iso":"tools.iso"}`, "400 Bad Request", "lio backend does not support cd")
	})

	part(t, "with ubuntu as default it boots from LUN 1 of tgtd", func(t *testing.T) {
		boots(t, "ubuntu", "iscsi:192.168.80.3:::1:"+onTgtd, "ubuntu on tgtd boot 1")
		p.runsFrom(t, "node-1", onTgtd, "ubuntu")
		p.inUse(t, "ubuntu")
	})

	part(t, "with debian as default it boots from LUN 0 of LIO", func(t *testing.T) {
		boots(t, "debian", "iscsi:"+kernelAddr+"::::"+onKernel, "debian on LIO boot 1")
		p.runsFrom(t, kernelNode, onKernel, "debian")
		p.inUse(t, "debian")
	})

	part(t, "taken out of service, the node gets nothing new and shows who still runs from it", func(t *testing.T) {
		out := false
		node.ID, node.Token, node.Enabled = "", "", &out
		must(t, p.Call("PUT", "/agents/"+kernelNode, node, nil))
		p.refuses(t, "POST", "/workers/both-01/luns/disk", `{"os":"esxi","type":"empty","size":"16M","disk_agent":"`+kernelNode+`"}`,
			"400 Bad Request", "agent "+kernelNode+" is disabled")
		p.runsFrom(t, kernelNode, onKernel, "debian")
	})

	part(t, "by force its disk on LIO goes while it runs from it", func(t *testing.T) {
		p.goes(t, "debian")
		var left []api.Target
		p.call(t, "GET", "/agents/"+kernelNode+"/luns", "", &left)
		if len(left) != 0 {
			t.Errorf("%s still shows %+v", kernelNode, left)
		}
		node.Enabled = nil
		must(t, p.Call("PUT", "/agents/"+kernelNode, node, nil))
		p.refuses(t, "POST", "/workers/both-01/luns/disk", `{"os":"debian","type":"existing","disk_agent":"`+kernelNode+`"}`,
			"404 Not Found", "file both-01.debian.img not found in the image folder")
	})

	part(t, "it boots from tgtd again, and by force that disk goes too", func(t *testing.T) {
		boots(t, "ubuntu", "iscsi:192.168.80.3:::1:"+onTgtd, "ubuntu on tgtd boot 2")
		p.runsFrom(t, "node-1", onTgtd, "ubuntu")
		p.goes(t, "ubuntu")
		if names := imagesOf(t, p.Nodes[0], "both-01"); len(names) != 0 {
			t.Errorf("node-1 still holds %q", names)
		}
	})
}

// addKernelNode boots a node with LIO and registers it with what a probe of it
// proposes. It is given the CD role too: its agent is to refuse, not the
// inventory.
func (p *proof) addKernelNode(t *testing.T) api.PutAgent {
	t.Helper()
	root, err := lab.Root()
	must(t, err)
	h, err := p.AddHost("lio", netip.MustParseAddr(kernelAddr))
	must(t, err)
	disk := liovm.Disk{File: p.Path("lio.raw"), Mount: "/mnt/images"}
	p.makeDisk(t, disk.File)
	vm, err := liovm.Start(t.Context(), p.Lab, h, liovm.Options{
		Name: kernelNode, Program: filepath.Join(root, "bin", "ipxe-agent"), Network: true, Disks: []liovm.Disk{disk},
		Env: []string{"IPXE_AGENT_TOKEN=secret", "IPXE_BACKEND=lio", "IPXE_DISK_DIR=" + disk.Mount, "IPXE_IQN_BASE=" + site.IQNBase},
	})
	must(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s said last:\n%s", kernelNode, vm.Output.Tail(25))
		}
	})
	address := "http://" + kernelAddr + ":4840"
	var probe api.Probe
	must(t, lab.Poll(lab.Patience, func() error {
		return p.Call("POST", "/agents/probe", api.ProbeAgent{BaseURL: address, Token: "secret"}, &probe)
	}))
	if probe.Backend != "lio" || probe.Role.CD || !probe.Persistent || !slices.Contains(probe.Tags, "lio") {
		t.Errorf("the probe says %+v", probe)
	}
	entry := api.PutAgent{
		ID: kernelNode, BaseURL: address, Token: "secret", ISCSIServer: probe.ISCSIServer,
		Role: api.Role{Disk: true, CD: true}, Tags: probe.Tags,
	}
	must(t, p.Call("POST", "/agents", entry, nil))
	return entry
}

// makeDisk makes an ext4 with a master and an ISO.
func (p *proof) makeDisk(t *testing.T, file string) {
	t.Helper()
	images := p.Path("lio-images")
	must(t, os.Mkdir(images, 0o755))
	must(t, lab.WriteGuestDisk(filepath.Join(images, "debian_tpl_v1.img"), "debian on LIO", lab.BIOS))
	must(t, os.WriteFile(filepath.Join(images, "tools.iso"), make([]byte, 1<<20), 0o644))
	must(t, os.WriteFile(file, nil, 0o644))
	must(t, os.Truncate(file, 128<<20))
	if out, err := exec.CommandContext(t.Context(), "mkfs.ext4", "-q", "-d", images, file).CombinedOutput(); err != nil {
		t.Fatalf("mkfs.ext4: %v: %s", err, out)
	}
}

// runsFrom waits until the control plane shows the worker's session on a node.
func (p *proof) runsFrom(t *testing.T, node, iqn, system string) {
	t.Helper()
	must(t, lab.Poll(lab.Patience, func() error {
		var sessions []api.AgentSession
		if err := p.Call("GET", "/agents/"+node+"/sessions", nil, &sessions); err != nil {
			return err
		}
		for _, s := range sessions {
			if s.IQN == iqn && s.WorkerID == "both-01" && s.OS == system && s.Initiator == bothInitor {
				t.Logf("%s shows %s of %s on %s from %s", node, s.Initiator, s.WorkerID, s.IQN, text(s.Address))
				return nil
			}
		}
		return fmt.Errorf("%s shows the sessions %+v", node, sessions)
	}))
}

// inUse: a running worker's disk is not deleted, and who runs from it is named.
func (p *proof) inUse(t *testing.T, system string) {
	t.Helper()
	p.refuses(t, "DELETE", "/workers/both-01/luns/disk/"+system+"?delete_file=true", "", "409 Conflict", "target_in_use", bothInitor)
}

// goes: by force it is deleted, with its row and its file.
func (p *proof) goes(t *testing.T, system string) {
	t.Helper()
	var w api.Worker
	p.call(t, "DELETE", "/workers/both-01/luns/disk/"+system+"?delete_file=true&force=true", "", &w)
	if slices.ContainsFunc(w.Disks, func(d api.Disk) bool { return d.OS == system }) {
		t.Errorf("the worker still has %+v", w.Disks)
	}
}

// refuses expects an answer with these words, the status among them.
func (p *proof) refuses(t *testing.T, method, path, body string, words ...string) {
	t.Helper()
	var in any
	if body != "" {
		in = json.RawMessage(body)
	}
	err := p.Call(method, path, in, nil)
	for _, w := range words {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("%s %s: %v, without %q", method, path, err, w)
		}
	}
	t.Logf("%v", err)
}
