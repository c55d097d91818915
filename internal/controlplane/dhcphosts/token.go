package dhcphosts

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// kind is what dnsmasq takes one comma-separated token for.
type kind uint8

const (
	blank    kind = iota
	card          // a MAC that names one Ethernet card
	looseMAC      // a MAC in a spelling that dnsmasq takes for a host name
	hardware      // another hardware address: wildcards, other types, other lengths
	name          // a host name
	foreign       // a host name to dnsmasq that is none to us
	lease         // a lease time
	option        // set:, tag:, id:, an IP address, ignore: they mean something without a name too
	filter        // tag:, which makes the line count for some requests only
	bad           // dnsmasq skips the whole line
)

// token is one word of a line and where it stands.
type token struct {
	kind     kind
	from, to int
	mac      netboot.MAC
	host     netboot.Hostname
	why      string // what a person should know about it
}

// isSpace is C's isspace, by which dnsmasq trims.
func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// body finds the part of a line that counts: without white space around, line
// end and comment. A # starts a comment at the front or after white space only.
func body(text string) (from, to int) {
	to = len(text)
	for i, white := 0, true; i < len(text); i++ {
		if white && text[i] == '#' {
			to = i
			break
		}
		white = isSpace(text[i])
	}
	return trim(text, 0, to)
}

func trim(text string, from, to int) (int, int) {
	for from < to && isSpace(text[from]) {
		from++
	}
	for from < to && isSpace(text[to-1]) {
		to--
	}
	return from, to
}

// classify reads text[from:to] as one_opt of dnsmasq's option.c does. first
// says that it is the line's first token.
func classify(text string, from, to int, first bool) token {
	from, to = trim(text, from, to)
	t := token{from: from, to: to}
	switch s := text[from:to]; {
	case s == "":
		t.kind = blank
	case strings.IndexByte(s, ':') >= 0:
		t.withColon(s)
	case first && isLooseMAC(s, &t):
		t.kind = looseMAC
		t.why = fmt.Sprintf("dnsmasq does not match %q: write it with colons, %s", s, t.mac)
	case isIPv4(s):
		t.kind = option
	case isLease(s):
		t.kind = lease
	case s == "ignore":
		t.kind = option
	default:
		t.asName(s)
	}
	return t
}

// withColon reads a tag, a client id, an IPv6 address or a hardware address.
func (t *token) withColon(s string) {
	switch {
	case len(s) >= 3 && strings.EqualFold(s[:3], "id:"), strings.HasPrefix(s, "set:"), strings.HasPrefix(s, "net:"),
		s[0] == '[' && s[len(s)-1] == ']':
		t.kind = option
	case strings.HasPrefix(s, "tag:"):
		t.kind = filter
	default:
		t.asHardware(s)
	}
}

func (t *token) asHardware(s string) {
	addr, wild, typ, ok := parseHex(s)
	switch {
	case !ok:
		t.kind, t.why = bad, fmt.Sprintf("dnsmasq skips this line: bad hex constant %q", fault.Clip(s))
		return
	case wild || typ > 1 || len(addr) != 6:
		t.kind = hardware
		if !wild && typ == 0 && len(addr) < 6 {
			t.why = fmt.Sprintf("hardware address %q has %d bytes and matches no network card", s, len(addr))
		}
		return
	}
	mac, err := netboot.ParseMAC(netboot.MAC(addr).String())
	if err != nil {
		t.kind, t.why = hardware, fault.Sentence(err)
		return
	}
	t.kind, t.mac = card, mac
}

// parseHex reads a hardware address as dnsmasq does: bytes of one or two
// digits (or more bytes in a row) parted by ':', '-' or a space, '*' for any
// byte, and in front a hardware type that ends with '-'.
func parseHex(s string) (addr []byte, wild bool, typ int, ok bool) {
	typed := false
	for rest, done := s, false; !done; {
		end := strings.IndexAny(rest, ":- ")
		part := rest
		if done = end < 0; !done {
			part = rest[:end]
		}
		sep := byte(0)
		if !done {
			sep, rest = rest[end], rest[end+1:]
		}
		switch {
		case part == "":
		case part == "*":
			wild, addr = true, append(addr, 0)
		case strings.Trim(part, "0123456789abcdefABCDEF") != "" || len(addr) > 16:
			return nil, false, 0, false
		case sep == '-' && len(addr) == 0 && !typed:
			n, err := strconv.ParseUint(part, 16, 16)
			if err != nil {
				return nil, false, 0, false
			}
			typ, typed = int(n), true
		default:
			addr = appendHex(addr, part)
		}
	}
	return addr, wild, typ, true
}

func appendHex(addr []byte, digits string) []byte {
	if len(digits)%2 == 1 {
		digits = "0" + digits
	}
	for ; digits != ""; digits = digits[2:] {
		n, _ := strconv.ParseUint(digits[:2], 16, 8)
		addr = append(addr, byte(n))
	}
	return addr
}

// isLooseMAC recognises 52-54-00-12-34-56, 5254.0012.3456 and 525400123456.
func isLooseMAC(s string, t *token) bool {
	if len(s) != 17 && len(s) != 14 && len(s) != 12 {
		return false
	}
	mac, err := netboot.ParseMAC(s)
	t.mac = mac
	return err == nil
}

func isIPv4(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is4()
}

// isLease recognises 3600, 45m, 12h and infinite.
func isLease(s string) bool {
	if len(s) > 1 && strings.IndexByte("wWdDhHmMsS", s[len(s)-1]) >= 0 {
		s = s[:len(s)-1]
	}
	return s == "infinite" || strings.Trim(s, "0123456789 ") == "" && strings.Trim(s, " ") != ""
}

// asName reads a host name; what follows a dot is its domain.
func (t *token) asName(s string) {
	label, _, _ := strings.Cut(s, ".")
	host, err := netboot.ParseHostname(label)
	switch {
	case err == nil:
		t.kind, t.host = name, host
	case isLegalToDnsmasq(label):
		t.kind, t.why = foreign, fault.Sentence(err)
	default:
		t.kind, t.why = bad, fmt.Sprintf("dnsmasq skips this line: bad DHCP host name %q", fault.Clip(s))
	}
}

func isLegalToDnsmasq(label string) bool {
	for i := 0; i < len(label); i++ {
		c := label[i] | 0x20
		alnum := 'a' <= c && c <= 'z' || '0' <= label[i] && label[i] <= '9'
		if !alnum && (i == 0 || label[i] != '-' && label[i] != '_') {
			return false
		}
	}
	return label != "" && len(label) <= 63
}
