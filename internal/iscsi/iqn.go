package iscsi

import (
	"strings"

	"ipxe-all-ready/internal/fault"
)

// maxIQN is the longest name iSCSI allows, in bytes (RFC 7143, 4.2.7.1).
const maxIQN = 223

// Base is what all target names of one storage node start with:
// iqn.2026-07.com.controller. It may carry colons of its own.
type Base struct{ s string }

// ParseBase lower-cases s and takes iqn.YYYY-MM.<reversed domain>[:<part>…].
func ParseBase(s string) (Base, error) {
	b := lower(s)
	if why := checkIQN(b); why != "" {
		return Base{}, fault.New(fault.Invalid, "iqn base %q %s", fault.Clip(s), why)
	}
	if strings.HasSuffix(b, ":") {
		return Base{}, fault.New(fault.Invalid, "iqn base %q ends with a colon", fault.Clip(s))
	}
	return Base{b}, nil
}

// IsZero reports whether b is no base.
func (b Base) IsZero() bool { return b.s == "" }

func (b Base) String() string { return b.s }

// IQN appends a suffix: <base>:<suffix>.
func (b Base) IQN(suffix string) (IQN, error) { return ParseIQN(b.s + ":" + suffix) }

// Holds reports whether q starts with b and a colon.
func (b Base) Holds(q IQN) bool {
	return len(q.s) > len(b.s)+1 && q.s[len(b.s)] == ':' && q.s[:len(b.s)] == b.s
}

// IQN is the name of one target or initiator.
type IQN struct{ s string }

// ParseIQN lower-cases s and takes iqn.YYYY-MM.<reversed domain>:<suffix> of
// [a-z0-9.:-], at most 223 bytes.
func ParseIQN(s string) (IQN, error) {
	q := lower(s)
	if why := checkIQN(q); why != "" {
		return IQN{}, fault.New(fault.Invalid, "iqn %q %s", fault.Clip(s), why)
	}
	if i := strings.IndexByte(q, ':'); i < 0 || strings.HasSuffix(q, ":") {
		return IQN{}, fault.New(fault.Invalid, "iqn %q has no name after a colon", fault.Clip(s))
	}
	return IQN{q}, nil
}

// IsZero reports whether q is no name.
func (q IQN) IsZero() bool { return q.s == "" }

func (q IQN) String() string { return q.s }

// Base is q without its last colon part, as the boot script's base-iqn.
func (q IQN) Base() Base { return Base{q.s[:max(0, strings.LastIndexByte(q.s, ':'))]} }

// Suffix is what follows the last colon.
func (q IQN) Suffix() string { return q.s[strings.LastIndexByte(q.s, ':')+1:] }

// checkIQN says what is wrong with a lower-case name; empty when nothing is.
func checkIQN(s string) string {
	switch {
	case len(s) > maxIQN:
		return "is longer than 223 bytes"
	case !datedDomain(s):
		return "does not start with iqn.YYYY-MM.<reversed domain>"
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '.' || c == ':' || c == '-') {
			return "holds a character other than a-z, 0-9, '.', ':' and '-'"
		}
	}
	if strings.Contains(s, "..") {
		return "holds two dots in a row"
	}
	return ""
}

// datedDomain reports whether s starts as iqn.2026-07.x does: a year, a month
// from 01 to 12 and a domain that starts and ends with a letter or digit.
func datedDomain(s string) bool {
	const head = "iqn.0000-00."
	if len(s) <= len(head) || s[:4] != "iqn." || s[8] != '-' || s[11] != '.' {
		return false
	}
	for _, i := range []int{4, 5, 6, 7, 9, 10} {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	if month := s[9:11]; month < "01" || month > "12" {
		return false
	}
	domain, _, _ := strings.Cut(s[len(head):], ":")
	return domain != "" && isAlnum(domain[0]) && isAlnum(domain[len(domain)-1])
}

func isAlnum(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// lower folds A to Z alone: strings.ToLower makes a k of the Kelvin sign.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
