package dhcphosts

import (
	"slices"

	"ipxe-all-ready/internal/netboot"
)

// Rival is an address that a line gives a host name which an earlier line gave
// to another machine. Both would write one disk, so it is nobody.
type Rival struct {
	Host  netboot.Hostname
	Line  int // 1-based
	Owner netboot.MAC
	First int // the owner's line, 1-based
}

// Rivals lists them. Addresses that stand on one line are cards of one machine
// and no rivals.
func (f *File) Rivals() map[netboot.MAC]Rival {
	if len(f.byHost.more) == 0 {
		return nil
	}
	number, out := f.numbers(), map[netboot.MAC]Rival{}
	for host, list := range f.byHost.more {
		first, owner, _ := f.owner(host)
		for _, i := range list {
			for _, mac := range f.strangers(i, first) {
				out[mac] = Rival{host, number[i], owner, number[first]}
			}
		}
	}
	return out
}

// owner is the first line that binds h, and the address on it that does.
func (f *File) owner(h netboot.Hostname) (at int32, mac netboot.MAC, ok bool) {
	for _, i := range f.byHost.of(h) {
		for _, mac := range f.lines[i].macs() {
			if got, bound := f.Binding(mac); bound && got == h {
				return i, mac, true
			}
		}
	}
	return 0, netboot.MAC{}, false
}

// strangers are the addresses that line i binds though they have nothing to do
// with the line first.
func (f *File) strangers(i, first int32) (out []netboot.MAC) {
	owners := f.lines[first].macs()
	if slices.ContainsFunc(f.lines[i].macs(), func(m netboot.MAC) bool { return slices.Contains(owners, m) }) {
		return nil
	}
	for _, mac := range f.lines[i].macs() {
		if at, ok := f.winner(mac); ok && at == i {
			out = append(out, mac)
		}
	}
	return out
}

// isRival reports whether the line at, which counts for mac, makes it one.
func (f *File) isRival(at int32, mac netboot.MAC) bool {
	first, _, ok := f.owner(f.lines[at].host)
	return ok && slices.Contains(f.strangers(at, first), mac)
}

// prefer takes h from every line that does not hold mac.
func (f *File) prefer(mac netboot.MAC, h netboot.Hostname) {
	for _, i := range slices.Clone(f.byHost.of(h)) {
		if macs := f.lines[i].macs(); len(macs) > 0 && !slices.Contains(macs, mac) {
			f.strip(i)
		}
	}
}

// hand gives h, which old has, to mac. Further lines that bind old to h would
// leave it a second machine of that name.
func (f *File) hand(h netboot.Hostname, line int32, old, mac netboot.MAC) {
	f.set(line, withMAC(f.lines[line].text, old, mac))
	for _, i := range slices.Clone(f.byHost.of(h)) {
		if slices.Contains(f.lines[i].macs(), old) {
			f.takeFrom(i, old)
		}
	}
}
