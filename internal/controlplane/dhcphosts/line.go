package dhcphosts

import (
	"slices"
	"strings"

	"ipxe-all-ready/internal/netboot"
)

// mark is how Windows editors start a file; dnsmasq takes it for text.
const bom = "\ufeff"

// maxLine is what dnsmasq reads of a line at once.
const maxLine = 1023

// line is one line of the file: its text with its end, and what it binds.
type line struct {
	text string // empty: the line is removed
	mac  netboot.MAC
	more []netboot.MAC // further addresses of the same machine
	host netboot.Hostname
	rank uint8  // between lines of one MAC the higher rank counts
	why  string // what a person should know
}

// The ranks: what dnsmasq does not match, matches under a condition, matches.
const (
	rankLoose uint8 = iota
	rankFiltered
	rankPlain
)

func (l *line) macs() []netboot.MAC {
	if l.mac.IsZero() {
		return nil
	}
	return append([]netboot.MAC{l.mac}, l.more...)
}

// parseLine reads one line:
//
//	52:54:00:12:34:56,worker-01
//	52:54:00:12:34:56,52:54:00:12:34:57,set:lab,worker-02,192.168.80.7,12h # by the door
func parseLine(text string) line {
	l := line{text: text, rank: rankPlain}
	if strings.HasPrefix(text, bom) {
		l.rank = rankLoose
	}
	for _, t := range tokens(text) {
		switch t.kind {
		case bad:
			return line{text: text, why: t.why}
		case looseMAC:
			l.rank = rankLoose
			l.addMAC(t.mac)
		case card:
			l.addMAC(t.mac)
		case name:
			l.host = t.host
		case foreign:
			l.host = netboot.Hostname{}
		case filter:
			l.rank = min(l.rank, rankFiltered)
		}
		if t.why != "" {
			l.why = t.why
		}
	}
	l.why = l.remark(l.why)
	return l
}

// remark adds what concerns the line as a whole.
func (l *line) remark(why string) string {
	from, to := body(strings.TrimPrefix(l.text, bom))
	switch {
	case from == to:
		return ""
	case len(l.text) > maxLine:
		return "the line is longer than the 1023 bytes that dnsmasq reads at once"
	case strings.Contains(l.text[:min(len(l.text), to+len(bom))], `"`):
		return "the line holds quotes; what it binds is left to dnsmasq"
	case strings.HasPrefix(l.text, bom):
		return "the line starts with a byte order mark and dnsmasq skips it: save the file without one"
	}
	return why
}

func (l *line) addMAC(mac netboot.MAC) {
	switch {
	case l.mac.IsZero():
		l.mac = mac
	case l.mac != mac && !slices.Contains(l.more, mac):
		l.more = append(l.more, mac)
	}
}

// tokens splits a line. One that is quoted or too long has none: it is kept
// and not understood.
func tokens(text string) []token {
	skip := 0
	if strings.HasPrefix(text, bom) {
		skip = len(bom)
	}
	from, to := body(text[skip:])
	from, to = from+skip, to+skip
	if from == to || len(text) > maxLine || strings.IndexByte(text[from:to], '"') >= 0 {
		return nil
	}
	list := make([]token, 0, 4)
	for at := from; at <= to; {
		end := strings.IndexByte(text[at:to], ',')
		if end < 0 {
			end = to - at
		}
		list = append(list, classify(text, at, at+end, at == from))
		at += end + 1
	}
	return list
}

// ending is the line end of text: \n, \r\n or nothing.
func ending(text string) string {
	switch {
	case strings.HasSuffix(text, "\r\n"):
		return "\r\n"
	case strings.HasSuffix(text, "\n"):
		return "\n"
	}
	return ""
}

// withMAC puts fresh in the place of old.
func withMAC(text string, old, fresh netboot.MAC) string {
	for _, t := range tokens(text) {
		if t.mac == old {
			return text[:t.from] + fresh.String() + text[t.to:]
		}
	}
	return text
}

// withName adds a host name behind the last token.
func withName(text string, h netboot.Hostname) string {
	list := tokens(text)
	end := list[len(list)-1].to
	return text[:end] + "," + h.String() + text[end:]
}

// without removes the tokens that drop names, each with a comma beside it.
func without(text string, drop func(token) bool) string {
	list := tokens(text)
	for i := len(list) - 1; i >= 0; i-- {
		if !drop(list[i]) {
			continue
		}
		from, to := list[i].from, list[i].to
		switch {
		case i+1 < len(list):
			to = list[i+1].from
		case i > 0:
			from = list[i-1].to
		}
		text = text[:from] + text[to:]
		list = tokens(text)
		i = min(i, len(list))
	}
	return text
}

// meansSomethingNameless reports whether the line would still tell dnsmasq
// something about a machine without a name: a tag, an address, ignore.
func meansSomethingNameless(text string) bool {
	return slices.ContainsFunc(tokens(text), func(t token) bool {
		return t.kind == option || t.kind == filter || t.kind == hardware
	})
}
