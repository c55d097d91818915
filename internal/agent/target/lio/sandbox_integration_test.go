//go:build integration

package lio_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/lab/liovm"
	"ipxe-all-ready/internal/lab/liovm/job"
)

// The guest has a kernel with LIO and no systemd: the sandbox that the unit asks
// for is made by a program there.
func TestTheAgentMakesAndDeletesTheKernelsTargetsInTheSandboxOfItsUnit(t *testing.T) {
	a := agent{newNode(t, func(dir string) {
		must(t, os.WriteFile(filepath.Join(dir, "w1.ubuntu.img"), bytes.Repeat([]byte{0x11}, 2<<20), 0o644))
	})}
	a.disk.Mount = "/srv/images"
	a.program, a.args = a.lab.Path("sandbox"), sandboxOf(t)
	must(t, liovm.Build(t.Context(), "./internal/lab/liovm/sandbox", a.program))
	must(t, os.Mkdir(a.lab.Path("node-1"), 0o755)) // what the first guest sees as job.Folder
	must(t, liovm.Build(t.Context(), "./cmd/ipxe-agent", a.lab.Path("node-1", "ipxe-agent")))
	vm := a.boot(t, "IPXE_LOG_FILE=/var/lib/ipxe-agent/ipxe-agent.jsonl")
	if said := vm.Output.Text(); !strings.Contains(said, "sandbox: NoNewPrivs:\t1") {
		t.Errorf("the sandbox was not made: %s", said)
	}

	a.wants(t, "GET", "/lun", nil, 200, `"iqn":"`+bootBase+`:w1.ubuntu"`, `"backing":"/srv/images/w1.ubuntu.img"`)
	a.reads(t, "w1.ubuntu", 0x11)
	disk := api.CreateLUN{IQN: bootBase + ":w2.debian", Size: "16M"}
	a.wants(t, "POST", "/lun/disk", disk, 201)
	a.reads(t, "w2.debian", 0)
	a.wants(t, "DELETE", "/lun?delete_file=true&force=true&iqn="+disk.IQN, nil, 200)
	if _, text, err := a.ask("GET", "/lun", nil); err != nil || strings.Contains(text, disk.IQN) {
		t.Errorf("after the deletion: %s, %v", text, err)
	}
	a.reads(t, "w1.ubuntu", 0x11)
	must(t, vm.Kill())
}

// sandboxOf is what the unit lets the agent write and keep, as the sandbox's
// arguments, with the agent after them.
func sandboxOf(t *testing.T) []string {
	t.Helper()
	unit, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "deploy", "systemd", "ipxe-agent.service"))
	must(t, err)
	settings := map[string]string{}
	for line := range strings.Lines(string(unit)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(name, "#") {
			settings[name] = value
		}
	}
	for name, value := range map[string]string{
		"ProtectSystem": "strict", "ProtectKernelTunables": "yes", "PrivateDevices": "yes", "PrivateTmp": "yes", "NoNewPrivileges": "yes",
	} {
		if settings[name] != value {
			t.Fatalf("the unit has %s=%s, and the sandbox is for %s", name, settings[name], value)
		}
	}
	write := []string{"/var/lib/" + settings["StateDirectory"], "/run/" + settings["RuntimeDirectory"]}
	for path := range strings.FieldsSeq(settings["ReadWritePaths"]) {
		write = append(write, strings.TrimPrefix(path, "-"))
	}
	return []string{
		"-write", strings.Join(write, ","), "-capabilities", strings.Join(strings.Fields(settings["CapabilityBoundingSet"]), ","),
		job.Folder + "/ipxe-agent",
	}
}
