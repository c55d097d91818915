package dhcphosts

import (
	"strings"

	"ipxe-all-ready/internal/netboot"
)

// File is dhcp-hosts.conf in memory. It is for one goroutine.
type File struct {
	lines  []line
	joined []string // the texts of shelf lines each; empty: one of them changed
	dead   int      // removed ones among lines
	byMAC  places[netboot.MAC]
	byHost places[netboot.Hostname]
	odd    map[int32]struct{} // lines with a remark
	eol    string             // of lines that we add

	steps     []step // edits since the last Settle
	unbinding bool
	watch     func(netboot.Hostname, int)
}

// Parse reads the file. It has no error: a line that it cannot read is kept,
// binds nothing and is among the Findings.
func Parse(content []byte) *File {
	text := string(content)
	size := strings.Count(text, "\n") + 1
	f := &File{
		lines: make([]line, 0, size),
		byMAC: newPlaces[netboot.MAC](size), byHost: newPlaces[netboot.Hostname](size),
		odd: map[int32]struct{}{}, eol: "\n",
	}
	for l := range strings.Lines(text) {
		f.lines = append(f.lines, parseLine(l))
		f.enter(int32(len(f.lines) - 1))
	}
	if len(f.lines) > 0 && ending(f.lines[0].text) == "\r\n" {
		f.eol = "\r\n"
	}
	return f
}

// Watch calls fn with +1 for each line that names a host, at once for those
// that stand, and with -1 when one no longer does.
func (f *File) Watch(fn func(h netboot.Hostname, delta int)) {
	f.watch = fn
	for i := range f.lines {
		if !f.lines[i].host.IsZero() {
			fn(f.lines[i].host, 1)
		}
	}
}

func (f *File) enter(i int32) { f.register(i, 1) }
func (f *File) leave(i int32) { f.register(i, -1) }

func (f *File) register(i int32, delta int) {
	l := &f.lines[i]
	mac, host := f.byMAC.add, f.byHost.add
	if delta < 0 {
		mac, host = f.byMAC.drop, f.byHost.drop
	}
	if !l.mac.IsZero() {
		mac(l.mac, i)
		for _, m := range l.more {
			mac(m, i)
		}
	}
	if !l.host.IsZero() {
		host(l.host, i)
		if f.watch != nil {
			f.watch(l.host, delta)
		}
	}
	delete(f.odd, i)
	if l.why != "" && delta > 0 {
		f.odd[i] = struct{}{}
	}
}

// winner is the line that dnsmasq goes by for mac: the last, and one that it
// matches before one that it does not.
func (f *File) winner(mac netboot.MAC) (int32, bool) {
	best, found := int32(0), false
	for _, i := range f.byMAC.of(mac) {
		if !found || f.lines[i].rank >= f.lines[best].rank {
			best, found = i, true
		}
	}
	return best, found
}

// Binding is the host name that mac is bound to.
func (f *File) Binding(mac netboot.MAC) (netboot.Hostname, bool) {
	i, ok := f.winner(mac)
	if !ok || f.lines[i].host.IsZero() {
		return netboot.Hostname{}, false
	}
	return f.lines[i].host, true
}

// MACOf is the address that h is bound to; where there are several, the first
// of the first line.
func (f *File) MACOf(h netboot.Hostname) (netboot.MAC, bool) {
	_, mac, ok := f.owner(h)
	return mac, ok
}

// Has reports whether any line names h, with an address or without.
func (f *File) Has(h netboot.Hostname) bool {
	_, ok := f.byHost.one[h]
	return ok
}

// Bindings calls fn for each address that is bound.
func (f *File) Bindings(fn func(netboot.MAC, netboot.Hostname)) {
	for mac := range f.byMAC.one {
		if h, ok := f.Binding(mac); ok {
			fn(mac, h)
		}
	}
}
