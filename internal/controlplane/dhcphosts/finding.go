package dhcphosts

import (
	"cmp"
	"fmt"
	"slices"

	"ipxe-all-ready/internal/netboot"
)

// Finding is a line that dnsmasq skips or reads otherwise than it looks.
type Finding struct {
	Line int    // 1-based
	Text string // a sentence
}

// Findings lists them in file order: what cannot be read, and addresses and
// host names that stand twice.
func (f *File) Findings() []Finding {
	if len(f.odd) == 0 && len(f.byMAC.more) == 0 && len(f.byHost.more) == 0 {
		return nil
	}
	number := f.numbers()
	var out []Finding
	for i := range f.odd {
		out = append(out, Finding{number[i], f.lines[i].why})
	}
	for mac, list := range f.byMAC.more {
		counts, _ := f.winner(mac)
		for _, i := range list {
			if i != counts && f.lines[i].rank != rankFiltered && f.lines[counts].rank != rankFiltered {
				out = append(out, Finding{number[i], fmt.Sprintf("MAC %s is bound again in line %d, which is the one that counts", mac, number[counts])})
			}
		}
	}
	for host, list := range f.byHost.more {
		out = append(out, f.twice(host, list, number)...)
	}
	slices.SortFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text))
	})
	return out
}

// twice reports the lines after the first that give host to another machine.
func (f *File) twice(host netboot.Hostname, list []int32, number []int) (out []Finding) {
	first := list[0]
	for _, i := range list[1:] {
		same := slices.Equal(f.lines[i].macs(), f.lines[first].macs())
		if !same && f.lines[i].rank != rankFiltered {
			out = append(out, Finding{number[i], fmt.Sprintf("host name %s is given in line %d already: both machines get it", host, number[first])})
		}
	}
	return out
}

// numbers is the line number of each line, removed ones not counted.
func (f *File) numbers() []int {
	out := make([]int, len(f.lines))
	n := 0
	for i := range f.lines {
		if f.lines[i].text != "" {
			n++
		}
		out[i] = n
	}
	return out
}
