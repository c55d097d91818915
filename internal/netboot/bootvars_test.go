package netboot

import (
	"testing"

	"ipxe-all-ready/internal/iscsi"
)

func word[T any](t testing.TB, parse func(string) (T, error), s string) T {
	t.Helper()
	v, err := parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func root(t testing.TB, os, server string, sep iscsi.Separator, iqn string) Root {
	t.Helper()
	return Root{OS: word(t, ParseOS, os), Server: word(t, iscsi.ParseHost, server), Sep: sep, IQN: word(t, iscsi.ParseIQN, iqn)}
}

func TestTheBootScriptIsExact(t *testing.T) {
	worker := word(t, ParseHostname, "worker-01")
	ubuntu := root(t, "ubuntu", "192.168.80.3", iscsi.SeparatorSTGT, "iqn.2026-07.com.controller:worker-01.ubuntu")
	windows := root(t, "windows", "fd00::3", iscsi.SeparatorLIO, "iqn.2026-07.com.other:lab:worker-01.windows")
	for _, c := range []struct {
		name string
		vars BootVars
		want string
	}{
		{"with a disk", BootVars{
			Hostname: worker, BaseIQN: ubuntu.IQN.Base(), ISCSIServer: ubuntu.Server, Separator: ubuntu.Sep,
			MenuDefault: ubuntu.OS.Item(), MenuTimeout: 5000, Roots: []Root{ubuntu},
		}, `#!ipxe
# boot vars for worker-01
set hostname worker-01
set base-iqn iqn.2026-07.com.controller
set iscsi-server 192.168.80.3
set iscsi-sep :::1:
set menu-default ubuntu
set menu-timeout 5000
set root-ubuntu iscsi:192.168.80.3:::1:iqn.2026-07.com.controller:worker-01.ubuntu
`},
		{"with disks on two kinds of node", BootVars{
			Hostname: worker, BaseIQN: windows.IQN.Base(), ISCSIServer: windows.Server, Separator: windows.Sep,
			MenuDefault: windows.OS.Item(), MenuTimeout: 0, Roots: []Root{ubuntu, windows},
		}, `#!ipxe
# boot vars for worker-01
set hostname worker-01
set base-iqn iqn.2026-07.com.other:lab
set iscsi-server [fd00::3]
set iscsi-sep ::::
set menu-default windows
set menu-timeout 0
set root-ubuntu iscsi:192.168.80.3:::1:iqn.2026-07.com.controller:worker-01.ubuntu
set root-windows iscsi:[fd00::3]::::iqn.2026-07.com.other:lab:worker-01.windows
`},
		{"without a disk", BootVars{Hostname: worker, MenuDefault: Reboot, MenuTimeout: 1000}, `#!ipxe
# boot vars for worker-01
set hostname worker-01
set menu-default reboot
set menu-timeout 1000
`},
		{"nobody found", BootVars{}, "#!ipxe\n# no per-worker boot vars found\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(c.vars.AppendScript(nil)); got != c.want {
				t.Fatalf("got\n%swant\n%s", got, c.want)
			}
			if got := string(c.vars.AppendScript([]byte("before"))); got != "before"+c.want {
				t.Fatal("what stood before was changed")
			}
		})
	}
}

func BenchmarkBootScript(b *testing.B) {
	ubuntu := root(b, "ubuntu", "192.168.80.3", iscsi.SeparatorSTGT, "iqn.2026-07.com.controller:worker-01.ubuntu")
	v := BootVars{Hostname: word(b, ParseHostname, "worker-01"), BaseIQN: ubuntu.IQN.Base(), ISCSIServer: ubuntu.Server,
		Separator: ubuntu.Sep, MenuDefault: ubuntu.OS.Item(), MenuTimeout: 5000, Roots: []Root{ubuntu}}
	buf := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		buf = v.AppendScript(buf[:0])
	}
}
