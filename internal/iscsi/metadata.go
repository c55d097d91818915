package iscsi

import "net/netip"

// awsMetadata is where EC2 serves metadata over IPv6; over IPv4 it is link-local.
var awsMetadata = netip.MustParseAddr("fd00:ec2::254")

// NoNode reports whether ip can be no storage node's and must not be asked: a
// link-local or multicast address, where clouds hand credentials to whoever
// asks from inside.
func NoNode(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	return ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip == awsMetadata
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
