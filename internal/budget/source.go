package budget

import "net/netip"

// Network is the source that an address belongs to: itself, or the /64 of an
// IPv6 address, of which a single machine has them all. Of text that is no
// address it is the zero Prefix, a source like others.
func Network(addr string) netip.Prefix { return source(addr, 64) }

// Address is the source of one address alone: for what each machine of a
// network does once. A network of IPv6 is one /64 with all its machines.
func Address(addr string) netip.Prefix { return source(addr, 128) }

func source(addr string, bits int) netip.Prefix {
	ip, err := netip.ParseAddr(addr)
	if err != nil {
		return netip.Prefix{}
	}
	ip = ip.Unmap().WithZone("")
	p, _ := ip.Prefix(min(bits, ip.BitLen())) // the length fits
	return p
}
