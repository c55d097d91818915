//go:build integration

package lab_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ipxe-all-ready/internal/lab"
)

// byRule is an answer that leaves root paths to the naming rule.
const byRule = "set hostname w1\nset base-iqn " + baseIQN + "\nset iscsi-server 192.168.80.3"

// The shipped scripts are linted by booting them: iPXE has no other checker,
// and a script that stops half-way strands a machine.
func TestTheShippedBootScripts(t *testing.T) {
	s, top := newSite(t), t
	m := s.machine(t, "m1", mac, lab.BIOS)

	t.Run("a control plane that does not answer is named on the screen and asked until it does", func(t *testing.T) {
		s.answers.say(byRule, "set menu-default ubuntu", "set menu-timeout 500")
		must(t, m.PowerOn())
		sees(t, m.Screen, `The control plane http://192\.168\.80\.1:4839 does not answer: error 0x[0-9a-f]+`, lab.Patience)
		sees(t, m.Screen, `This machine, `+mac+`, keeps asking until it does\.`, lab.Patience)
		sees(t, m.Screen, `Next try in 2000 ms`, lab.Patience)
		sees(t, m.Screen, `Next try in 6000 ms`, lab.Patience)
		s.listen(top)
		sees(t, m.Guest, `GUEST disk-of-ubuntu boot 1\b`, lab.Patience)
		if got := s.answers.askers(); len(got) != 1 || got[0] != mac+" w1" {
			t.Errorf("the control plane was asked by %q, want once by %q", got, mac+" w1")
		}
	})

	t.Run("a control plane that takes the question and never answers is given up and asked again", func(t *testing.T) {
		s.answers.sayNothing()
		must(t, m.PowerOn())
		sees(t, m.Screen, `The control plane http://192\.168\.80\.1:4839 does not answer: error 0x4c0`, lab.Patience)
		s.answers.say(byRule, "set menu-default exit", "set menu-timeout 500")
		sees(t, m.Screen, `iPXE boot menu: w1`, lab.Patience)
	})

	t.Run("an answer without a separator means stgt's LUN 1", func(t *testing.T) {
		s.answers.say(byRule, "set menu-default ubuntu", "set menu-timeout 500")
		want := `Booting ubuntu from iscsi:192\.168\.80\.3:::1:` + baseIQN + `:w1\.ubuntu\n`
		must(t, m.PowerOn())
		sees(t, m.Screen, want, lab.Patience)
		sees(t, m.Guest, `GUEST disk-of-ubuntu boot 2\b`, lab.Patience)
	})

	t.Run("a person's pick overrules the default and takes the disk's own root path", func(t *testing.T) {
		s.answers.say(byRule, "set iscsi-server 192.0.2.9", "set iscsi-sep ::::", "set menu-default ubuntu", "set menu-timeout 30000",
			"set root-debian iscsi:192.168.80.3:::1:"+baseIQN+":w1.debian")
		must(t, m.PowerOn())
		sees(t, m.Screen, `iPXE boot menu: w1 `+mac, lab.Patience)
		must(t, m.Press("d"))
		sees(t, m.Screen, `Booting debian from iscsi:192\.168\.80\.3:::1:`+baseIQN+`:w1\.debian\n`, lab.Patience)
		sees(t, m.Guest, `GUEST disk-of-debian boot 1\b`, lab.Patience)
	})

	t.Run("a disk that cannot be booted is named, and the control plane asked anew after a pause", func(t *testing.T) {
		s.answers.say(byRule, "set menu-default ubuntu", "set menu-timeout 500",
			"set root-ubuntu iscsi:192.168.80.3:::1:"+baseIQN+":w1.gone")
		must(t, m.PowerOn())
		sees(t, m.Screen, `Booting ubuntu from iscsi:192\.168\.80\.3:::1:`+baseIQN+`:w1\.gone failed: error 0x2c0d603b`, lab.Patience)
		sees(t, m.Screen, `Starting over in 5000 ms\.`, lab.Patience)
		sees(t, m.Screen, `Starting over in 10000 ms\.`, lab.Patience)
		s.answers.say(byRule, "set menu-default ubuntu", "set menu-timeout 500")
		sees(t, m.Guest, `GUEST disk-of-ubuntu boot 3\b`, lab.Patience)
	})

	t.Run("a default that the menu does not have asks again instead of booting the first disk", func(t *testing.T) {
		s.answers.say(byRule, "set menu-default haiku", "set menu-timeout 500")
		must(t, m.PowerOn())
		sees(t, m.Screen, `The menu has no item haiku, which is set as default; taking reboot after 10 seconds\.`, lab.Patience)
		sees(t, m.Screen, `iPXE boot menu: w1`, lab.Patience)
		must(t, m.Press("ret"))
		sees(t, m.Screen, `The menu has no item haiku`, lab.Patience)
		if got := s.answers.askers(); len(got) != 2 {
			t.Errorf("the control plane was asked by %q, want twice by one machine", got)
		}
	})

	t.Run("a machine that nobody knows shows the menu and asks again", func(t *testing.T) {
		s.answers.say("# no per-worker boot vars found")
		must(t, os.WriteFile(s.dnsmasq.HostsFile, nil, 0o644))
		must(t, s.dnsmasq.Reload())
		must(t, m.PowerOn())
		sees(t, m.Screen, `The control plane knows no machine `+mac+` and registered none\.`, lab.Patience)
		sees(t, m.Screen, `iPXE boot menu:`, lab.Patience)
		must(t, m.Press("u"))
		sees(t, m.Screen, `This machine has no disk yet, so there is no ubuntu to boot\.`, lab.Patience)
		sees(t, m.Screen, `Starting over in`, lab.Patience)
	})

	t.Run("a tool that cannot be fetched is named and leads back to its menu", func(t *testing.T) {
		must(t, m.Press("spc"))
		sees(t, m.Screen, `iPXE boot menu`, lab.Patience)
		must(t, m.Press("t"))
		sees(t, m.Screen, `Memtest86\+`, lab.Patience)
		must(t, m.Press("m"))
		sees(t, m.Screen, `Starting memtest from http://192\.168\.80\.1:4838/file failed: error 0x`, lab.Patience)
		must(t, m.Press("spc"))
		sees(t, m.Screen, `SystemRescue`, lab.Patience)
	})

	t.Run("a tool in the public folder is fetched from nginx and started", func(t *testing.T) {
		public := s.Path("public")
		must(t, os.MkdirAll(filepath.Join(public, "tools", "memtest"), 0o755))
		must(t, os.WriteFile(filepath.Join(public, "tools", "memtest", "memtest64.bin"), []byte("#!ipxe\necho Fetched over HTTP\n"), 0o644))
		_, err := s.cp.StartNginx(lab.DebianNginx, lab.NginxFolders{Console: public, Public: public, TFTP: s.dnsmasq.TFTPRoot})
		must(t, err)
		must(t, m.Press("m"))
		sees(t, m.Screen, `Fetched over HTTP`, lab.Patience)
		sees(t, m.Screen, `SystemRescue`, lab.Patience)
	})

	for _, o := range []struct{ by, file string }{
		{"MAC", "mac-52-54-00-00-10-01"},
		{"UUID", "uuid-4c5a1f0e-33a6-4b29-9d53-0d0000001001"},
		{"host name", "hostname-w1"},
	} {
		t.Run("a script for one machine alone, found by its "+o.by+", replaces the menu", func(t *testing.T) {
			s.answers.say(byRule, "set menu-timeout 0")
			file := filepath.Join(s.dnsmasq.TFTPRoot, "override", o.file+".ipxe")
			must(t, os.MkdirAll(filepath.Dir(file), 0o755))
			must(t, os.WriteFile(file, []byte("#!ipxe\necho Made for ${hostname} by "+o.by+"\nshell\n"), 0o644))
			must(t, m.PowerOn())
			sees(t, m.Screen, `Made for w1 by `+o.by, lab.Patience)
		})
	}
}

func TestAMachineWithTwoCardsAsksByTheOneThatBooted(t *testing.T) {
	s := newSite(t)
	s.listen(t)
	s.answers.say(byRule, "set menu-default ubuntu", "set menu-timeout 500")
	m := s.machine(t, "two-cards", mac, lab.BIOS)
	m.OtherMAC = "52:54:00:00:10:00"
	must(t, m.PowerOn())
	sees(t, m.Screen, `net1: `+mac, lab.Patience)
	sees(t, m.Guest, `GUEST disk-of-ubuntu boot 1\b`, lab.Patience)
	if got := s.answers.askers(); len(got) != 1 || got[0] != mac+" w1" {
		t.Errorf("the control plane was asked by %q, want once by %q", got, mac+" w1")
	}
}

func TestExitGoesOnToTheFirmwaresNextBootDevice(t *testing.T) {
	s := newSite(t)
	s.listen(t)
	s.answers.say("set hostname w1", "set menu-default exit", "set menu-timeout 500")

	t.Run("under UEFI", func(t *testing.T) {
		m := s.machine(t, "uefi", "52:54:00:00:10:02", lab.UEFI)
		must(t, m.PowerOn())
		sees(t, m.Screen, `snponly\.efi`, 2*time.Minute)
		sees(t, m.Screen, `iPXE boot menu: w1 52:54:00:00:10:02`, lab.Patience)
		sees(t, m.Screen, `BdsDxe: failed to start Boot\d+ "UEFI PXEv4[^\n]*`, lab.Patience)
		sees(t, m.Screen, `>>Start PXE over IPv6`, lab.Patience) // the next entry, not the set-up screen
	})

	t.Run("under BIOS", func(t *testing.T) {
		m := s.machine(t, "bios", mac, lab.BIOS)
		must(t, m.PowerOn())
		sees(t, m.Screen, `iPXE boot menu: w1 `+mac, lab.Patience)
		sees(t, m.Screen, `No bootable device\.`, lab.Patience)
	})
}
