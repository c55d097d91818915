package netboot

import (
	"strconv"

	"ipxe-all-ready/internal/iscsi"
)

// BootVars is what one machine is told at boot. The storage fields are zero
// for a machine without a disk; a zero Hostname stands for nobody found.
type BootVars struct {
	Hostname    Hostname
	BaseIQN     iscsi.Base
	ISCSIServer iscsi.Host
	Separator   iscsi.Separator
	MenuDefault MenuItem
	MenuTimeout int // milliseconds, as iPXE's choose wants; 0 waits for ever
	Roots       []Root
}

// Root is the complete root path of one disk.
type Root struct {
	OS     OS
	Server iscsi.Host
	Sep    iscsi.Separator
	IQN    iscsi.IQN
}

// AppendScript appends the iPXE script to b:
//
//	#!ipxe
//	# boot vars for worker-01
//	set hostname worker-01
//	set base-iqn iqn.2026-07.com.controller
//	set iscsi-server 192.168.80.3
//	set iscsi-sep :::1:
//	set menu-default ubuntu
//	set menu-timeout 5000
//	set root-ubuntu iscsi:192.168.80.3:::1:iqn.2026-07.com.controller:worker-01.ubuntu
//
// Every value is a parsed word, so nothing in it can end a line or start an
// expansion.
func (v BootVars) AppendScript(b []byte) []byte {
	b = append(b, "#!ipxe\n"...)
	if v.Hostname.IsZero() {
		return append(b, "# no per-worker boot vars found\n"...)
	}
	b = append(append(append(b, "# boot vars for "...), v.Hostname.s...), '\n')
	b = appendSet(b, "hostname", v.Hostname.s)
	if !v.BaseIQN.IsZero() {
		b = appendSet(b, "base-iqn", v.BaseIQN.String())
		b = appendSet(b, "iscsi-server", v.ISCSIServer.String())
		b = appendSet(b, "iscsi-sep", v.Separator.String())
	}
	b = appendSet(b, "menu-default", v.MenuDefault.s)
	b = append(b, "set menu-timeout "...)
	b = append(strconv.AppendInt(b, int64(v.MenuTimeout), 10), '\n')
	for _, r := range v.Roots {
		b = append(append(append(b, "set root-"...), r.OS.s...), ' ')
		b = append(iscsi.AppendRootPath(b, r.Server, r.Sep, r.IQN), '\n')
	}
	return b
}

func appendSet(b []byte, name, value string) []byte {
	b = append(append(append(b, "set "...), name...), ' ')
	return append(append(b, value...), '\n')
}
