package iscsi

import "net/netip"

// metadata are the addresses at which clouds hand credentials to whoever asks
// from inside, but for 169.254.169.254, which is link-local.
var metadata = map[netip.Addr]bool{
	netip.MustParseAddr("fd00:ec2::254"):   true, // EC2
	netip.MustParseAddr("fd20:ce::254"):    true, // Google
	netip.MustParseAddr("100.100.100.200"): true, // Alibaba
	netip.MustParseAddr("192.0.0.192"):     true, // Oracle
	netip.MustParseAddr("168.63.129.16"):   true, // Azure
}

// NoNode reports whether ip can be no storage node's and must not be asked: a
// link-local or multicast address, a cloud's metadata service, or an IPv6
// address that a router or the kernel takes to one of these.
func NoNode(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if noNode(ip) {
		return true
	}
	for _, inner := range embedded(ip) {
		if noNode(inner) {
			return true
		}
	}
	return false
}

func noNode(ip netip.Addr) bool {
	return ip.IsLinkLocalUnicast() || ip.IsMulticast() || metadata[ip]
}

// carriers are the prefixes of IPv6 addresses that hold an IPv4 one, and which
// of their bytes it is.
var carriers = []struct {
	prefix netip.Prefix
	bytes  [4]int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), [4]int{12, 13, 14, 15}},  // NAT64 (RFC 6052)
	{netip.MustParsePrefix("64:ff9b:1::/48"), [4]int{6, 7, 9, 10}},   // NAT64 of a site (RFC 8215), in
	{netip.MustParsePrefix("64:ff9b:1::/48"), [4]int{7, 9, 10, 11}},  // each of the ways of RFC 6052,
	{netip.MustParsePrefix("64:ff9b:1::/48"), [4]int{9, 10, 11, 12}}, // section 2.2
	{netip.MustParsePrefix("64:ff9b:1::/48"), [4]int{12, 13, 14, 15}},
	{netip.MustParsePrefix("::/96"), [4]int{12, 13, 14, 15}},           // IPv4-compatible (RFC 4291, 2.5.5.1)
	{netip.MustParsePrefix("::ffff:0:0:0/96"), [4]int{12, 13, 14, 15}}, // IPv4-translated (RFC 7915)
	{netip.MustParsePrefix("2002::/16"), [4]int{2, 3, 4, 5}},           // 6to4 (RFC 3056)
}

func embedded(ip netip.Addr) (inner []netip.Addr) {
	if !ip.Is6() {
		return nil
	}
	b := ip.As16()
	for _, c := range carriers {
		if c.prefix.Contains(ip) {
			inner = append(inner, netip.AddrFrom4([4]byte{b[c.bytes[0]], b[c.bytes[1]], b[c.bytes[2]], b[c.bytes[3]]}))
		}
	}
	return inner
}

// NoNode is NoNode of a host that is written as an address; a name has to be
// resolved first.
func (h Host) NoNode() bool {
	ip, err := netip.ParseAddr(trimBrackets(h.s))
	return err == nil && NoNode(ip)
}

func trimBrackets(s string) string {
	if len(s) > 1 && s[0] == '[' {
		return s[1 : len(s)-1]
	}
	return s
}
