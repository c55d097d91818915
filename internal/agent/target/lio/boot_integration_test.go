//go:build integration

package lio_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/lab"
)

const (
	machineMAC = "52:54:00:00:10:01"
	bootBase   = "iqn.2026-07.com.liotest"
)

// A machine has one disk on LIO and one on stgt, and boots each with the
// separator that the server needs.
func TestAMachineBootsFromLUN0OfTheKernelsTargetAndFromLUN1OfTgtd(t *testing.T) {
	n := newNode(t, func(dir string) {
		must(t, lab.WriteGuestDisk(filepath.Join(dir, "w1.ubuntu.img"), "disk-on-lio", lab.BIOS))
	})
	n.boot(t, bootBase+":w1.ubuntu")
	startTgtd(t, n.lab)
	var vars atomic.Value
	bootService(t, n.lab, &vars)
	m, err := n.lab.AddMachine("m1", machineMAC, lab.BIOS)
	must(t, err)
	t.Cleanup(func() { must(t, m.PowerOff()) })

	for i := 1; i <= 2; i++ {
		vars.Store(bootVars("ubuntu", guestAddr.String(), iscsi.SeparatorLIO))
		must(t, m.PowerOn())
		sees(t, m.Screen, `Booting ubuntu from iscsi:192\.168\.80\.5::::iqn\.2026-07\.com\.liotest:w1\.ubuntu\n`)
		sees(t, m.Guest, fmt.Sprintf(`GUEST disk-on-lio boot %d\b`, i))
		var targets []target.Target
		must(t, n.call(t, "GET", "/targets", &targets))
		if len(targets) != 1 || len(targets[0].Sessions) == 0 {
			t.Errorf("the node shows %+v, want the machine's session", targets)
		}

		vars.Store(bootVars("debian", "192.168.80.3", iscsi.SeparatorSTGT))
		must(t, m.PowerOn())
		sees(t, m.Screen, `Booting debian from iscsi:192\.168\.80\.3:::1:iqn\.2026-07\.com\.liotest:w1\.debian\n`)
		sees(t, m.Guest, fmt.Sprintf(`GUEST disk-on-stgt boot %d\b`, i))
	}
}

func bootVars(system, server string, sep iscsi.Separator) string {
	return strings.Join([]string{
		"#!ipxe", "set hostname w1", "set base-iqn " + bootBase, "set iscsi-server " + server,
		"set iscsi-sep " + sep.String(), "set menu-default " + system, "set menu-timeout 500", "",
	}, "\n")
}

func startTgtd(t *testing.T, l *lab.Lab) {
	t.Helper()
	h, err := l.AddHost("st", netip.MustParseAddr("192.168.80.3"))
	must(t, err)
	port, err := l.FreeControlPort()
	must(t, err)
	tgtd, err := h.StartTgtd("tgtd", port)
	must(t, err)
	disk := l.Path("w1.debian.img")
	must(t, lab.WriteGuestDisk(disk, "disk-on-stgt", lab.BIOS))
	must(t, tgtd.Export(1, bootBase+":w1.debian", disk))
}

// bootService is DHCP, TFTP and as much of the control plane as the boot scripts
// see.
func bootService(t *testing.T, l *lab.Lab, vars *atomic.Value) {
	t.Helper()
	cp, err := l.AddHost("cp", netip.MustParseAddr("192.168.80.1"), lab.RouterPrefix)
	must(t, err)
	hosts := l.Path("dhcp-hosts.conf")
	must(t, os.WriteFile(hosts, []byte(machineMAC+",w1\n"), 0o644))
	_, err = cp.StartDnsmasq(hosts)
	must(t, err)
	ln, err := cp.Listen(":4839")
	must(t, err)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, vars.Load())
	})}
	go func() { _ = server.Serve(ln) }()
	t.Cleanup(func() { _ = server.Close() })
}

func sees(t *testing.T, l *lab.Log, pattern string) {
	t.Helper()
	start := time.Now()
	found, err := l.WaitFor(pattern, time.Minute)
	must(t, err)
	t.Logf("after %.1f s: %s", time.Since(start).Seconds(), strings.TrimSpace(found[0]))
}
