package fence

import (
	"bytes"
	"encoding/binary"
	"net/netip"
)

// Offsets and sizes, in bytes.
const (
	ipv6Head  = 40
	loginHead = 48
	longest   = 223 // of an iSCSI name
)

// opening is what the text of every login begins with (RFC 7143, 13.4 wants
// it in the first request); programs put it in front.
const opening = "InitiatorName="

// parseLogin reads the login request in an IP packet. The head of 48 bytes may
// have gone ahead in a segment of its own, as iPXE sends it:
//
//	43 81 00 00 …  InitiatorName=iqn.2026-07.com.controller:w2␀TargetName=iqn.2026-07.com.controller:w1.debian␀SessionType=Normal␀…
func parseLogin(packet []byte) (a attempt, key segment, ok bool) {
	key.from, packet, ok = parseIP(packet)
	if !ok || len(packet) < 20 {
		return a, key, false
	}
	key.port, key.seq = binary.BigEndian.Uint16(packet), binary.BigEndian.Uint32(packet[4:])
	head := int(packet[12]>>4) * 4
	if head > len(packet) {
		return a, key, false
	}
	text := packet[head:]
	if !bytes.HasPrefix(text, []byte(opening)) {
		if len(text) < loginHead {
			return a, key, false
		}
		text = text[loginHead:]
	}
	a.address = key.from.String()
	for pair := range bytes.SplitSeq(text, []byte{0}) {
		name, value, _ := bytes.Cut(pair, []byte{'='})
		switch string(name) {
		case "InitiatorName":
			a.initiator = string(value)
		case "TargetName":
			a.target = string(value)
		}
	}
	return a, key, isName(a.initiator) && isName(a.target)
}

// segment tells one piece of one connection from all others, so that one that
// is seen on a card and on the bridge above it, or sent again, counts once.
type segment struct {
	from netip.Addr
	port uint16
	seq  uint32
}

// parseIP gives the sender and what follows the head.
func parseIP(packet []byte) (netip.Addr, []byte, bool) {
	switch {
	case len(packet) >= 20 && packet[0]>>4 == 4:
		head := int(packet[0]&15) * 4
		if head < 20 || head > len(packet) {
			return netip.Addr{}, nil, false
		}
		from, _ := netip.AddrFromSlice(packet[12:16])
		return from, packet[head:], true
	case len(packet) >= ipv6Head && packet[0]>>4 == 6:
		from, _ := netip.AddrFromSlice(packet[8:24])
		return from.Unmap(), packet[ipv6Head:], true
	}
	return netip.Addr{}, nil, false
}

// isName holds off what no iSCSI name is: it goes into logs and lists.
func isName(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return s != "" && len(s) <= longest
}
