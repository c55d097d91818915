package dhcphosts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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

// twice reports the lines that give host to another machine than the first does.
func (f *File) twice(host netboot.Hostname, list []int32, number []int) (out []Finding) {
	first, owner, owned := f.owner(host)
	for _, i := range list {
		var rivals []netboot.MAC
		if owned {
			rivals = f.strangers(i, first)
		}
		if len(rivals) > 0 {
			out = append(out, Finding{number[i], fmt.Sprintf("host name %s is that of %s in line %d: %s gets no boot script until it has another name (cards of one machine stand on one line)",
				host, owner, number[first], rivals[0])})
		} else if i != list[0] && len(f.lines[i].macs()) == 0 && f.lines[i].rank != rankFiltered {
			out = append(out, Finding{number[i], fmt.Sprintf("host name %s is given in line %d already: both machines get it", host, number[list[0]])})
		}
	}
	return out
}

// Readable reports whether a person may have written a line. Of what begins with
// an address that is one as it is usually written: the rest of a line that was cut
// through would read well otherwise, as of 52:54:00:00:00:01 does 2:54:00:00:00:01.
func Readable(text []byte) bool {
	l := parseLine(strings.TrimRight(string(text), "\r\n"))
	start := strings.ToLower(strings.TrimSpace(l.text))
	octet, _, address := strings.Cut(start, ":")
	address = address && len(octet) <= 2 && octet != "id" || !l.mac.IsZero()
	return l.why == "" && (!address || strings.HasPrefix(start, l.mac.String()+","))
}

// NewlyBad is the first line that has a remark and was not in old; 0 when
// there is none.
func (f *File) NewlyBad(old *File) int {
	known := make(map[string]bool, len(old.odd))
	for i := range old.odd {
		known[strings.TrimSpace(old.lines[i].text)] = true
	}
	first := int32(-1)
	for i := range f.odd {
		if !known[strings.TrimSpace(f.lines[i].text)] && (first < 0 || i < first) {
			first = i
		}
	}
	if first < 0 {
		return 0
	}
	return f.numbers()[first]
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
