package iscsi

import (
	"net/netip"
	"strconv"
	"strings"

	"ipxe-all-ready/internal/fault"
)

// LUN is a logical unit number, 0 to 16383 (flat addressing, SAM-5 4.7.7.3).
type LUN uint16

// Hex is the number as it stands in a root path. iPXE reads that field as
// hexadecimal, so LUN 10 is "a".
func (l LUN) Hex() string { return strconv.FormatUint(uint64(l), 16) }

// ParseLUN reads the decimal number that people and tgtadm write.
func ParseLUN(s string) (LUN, error) {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n > 16383 {
		return 0, fault.New(fault.Invalid, "lun %q is not a number from 0 to 16383", fault.Clip(s))
	}
	return LUN(n), nil
}

// Separator stands between server and target name in a root path; it carries
// protocol, port and LUN, the first two left at their defaults.
type Separator struct{ s string }

// The two that our backends need: stgt exports the image as LUN 1 (0 is its
// controller), LIO as LUN 0, which iPXE also reads from an empty field.
var (
	SeparatorSTGT = NewSeparator(1)
	SeparatorLIO  = NewSeparator(0)
)

// NewSeparator is :::<lun in hex>: with an empty field for LUN 0.
func NewSeparator(l LUN) Separator {
	if l == 0 {
		return Separator{"::::"}
	}
	return Separator{":::" + l.Hex() + ":"}
}

func (s Separator) String() string { return s.s }

// Host is where a target is served: a host name, an IPv4 or an IPv6 address,
// without a port. It is safe inside an iPXE script.
type Host struct{ s string }

// ParseHost reads a host name, an IPv4 address or an IPv6 address with or
// without brackets; an IPv6 address is kept with them, as a root path needs.
func ParseHost(s string) (Host, error) {
	bare := strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")
	if a, err := netip.ParseAddr(bare); err == nil && a.Zone() == "" {
		if a.Is4() && bare == s {
			return Host{a.String()}, nil
		}
		if a.Is6() && (bare == s || s == "["+bare+"]") {
			return Host{"[" + a.String() + "]"}, nil
		}
	}
	if !isHostName(s) {
		return Host{}, fault.New(fault.Invalid, "iscsi server %q is neither a host name nor an IP address", fault.Clip(s))
	}
	return Host{lower(s)}, nil
}

// isHostName takes dotted labels of letters, digits and inner hyphens. A name
// of digits and dots alone is a mistyped address, not a name.
func isHostName(s string) bool {
	if len(s) == 0 || len(s) > 253 || strings.Trim(s, "0123456789.") == "" {
		return false
	}
	for label := range strings.SplitSeq(lower(s), ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := 0; i < len(label); i++ {
			if !isAlnum(label[i]) && label[i] != '-' {
				return false
			}
		}
	}
	return true
}

// IsZero reports whether h is no host.
func (h Host) IsZero() bool { return h.s == "" }

func (h Host) String() string { return h.s }

// AppendRootPath appends the complete iPXE root path of one disk to b:
// iscsi:192.168.80.3:::1:iqn.2026-07.com.controller:worker-01.ubuntu
func AppendRootPath(b []byte, h Host, sep Separator, q IQN) []byte {
	return append(append(append(append(b, "iscsi:"...), h.s...), sep.s...), q.s...)
}
