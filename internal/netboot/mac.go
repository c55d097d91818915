package netboot

import "ipxe-all-ready/internal/fault"

// MAC is the hardware address of one network card. It is comparable; the zero
// value is no address.
type MAC [6]byte

// ParseMAC reads 00:0c:29:b9:8b:2d, 00-0C-29-B9-8B-2D, 000c.29b9.8b2d or
// 000c29b98b2d. All-zero, broadcast and multicast addresses are refused: none
// of them names one machine.
func ParseMAC(s string) (MAC, error) {
	m, ok := scanMAC(s)
	switch {
	case !ok:
		return MAC{}, fault.New(fault.Invalid, "mac %q is not a MAC address such as 00:0c:29:b9:8b:2d", fault.Clip(s))
	case m == MAC{}:
		return MAC{}, fault.New(fault.Invalid, "mac %q is all zero", s)
	case m == MAC{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}:
		return MAC{}, fault.New(fault.Invalid, "mac %q is the broadcast address", s)
	case m[0]&1 == 1:
		return MAC{}, fault.New(fault.Invalid, "mac %q is a multicast address", s)
	}
	return m, nil
}

// scanMAC reads the four notations. The separator fixes the notation, so that
// no mixture such as 00:0c-29… passes.
func scanMAC(s string) (m MAC, ok bool) {
	group, sep := 0, byte(0)
	switch {
	case len(s) == 17 && (s[2] == ':' || s[2] == '-'):
		group, sep = 2, s[2]
	case len(s) == 14 && s[4] == '.':
		group, sep = 4, '.'
	case len(s) == 12:
		group = 12
	default:
		return MAC{}, false
	}
	digits := 0
	for i := 0; i < len(s); i++ {
		if i%(group+1) == group {
			if s[i] != sep {
				return MAC{}, false
			}
			continue
		}
		v, isHex := unhex(s[i])
		if !isHex {
			return MAC{}, false
		}
		m[digits/2] = m[digits/2]<<4 | v
		digits++
	}
	return m, digits == 12
}

func unhex(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// IsZero reports whether m names no card.
func (m MAC) IsZero() bool { return m == MAC{} }

// String is the stored form, lower-case with colons; dnsmasq matches no other.
func (m MAC) String() string {
	const hex = "0123456789abcdef"
	var b [17]byte
	for i, v := range m {
		b[i*3], b[i*3+1] = hex[v>>4], hex[v&15]
		if i < 5 {
			b[i*3+2] = ':'
		}
	}
	return string(b[:])
}
