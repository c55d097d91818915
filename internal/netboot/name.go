package netboot

import (
	"strings"

	"ipxe-all-ready/internal/fault"
)

// Hostname is one lower-case DNS label that dnsmasq reads as a host name and as nothing else.
type Hostname struct{ s string }

// ParseHostname lower-cases s and takes one DNS label of at most 63 bytes.
// What dnsmasq would read as something else in a hosts line (a number, a lease
// time such as 10m, "infinite", "ignore") is refused.
func ParseHostname(s string) (Hostname, error) {
	h := lower(s)
	if !isLabel(h) {
		return Hostname{}, fault.New(fault.Invalid, "hostname %q is not one DNS label: letters, digits and inner hyphens, at most 63", fault.Clip(s))
	}
	if word := dnsmasqWord(h); word != "" {
		return Hostname{}, fault.New(fault.Invalid, "hostname %q would be read by dnsmasq as %s", s, word)
	}
	return Hostname{h}, nil
}

func isLabel(s string) bool {
	if len(s) == 0 || len(s) > 63 || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !isAlnum(s[i]) && s[i] != '-' {
			return false
		}
	}
	return true
}

// dnsmasqWord says what else than a host name a token of a dhcp-host line is
// to dnsmasq; empty when it is a host name.
func dnsmasqWord(s string) string {
	switch {
	case s == "infinite":
		return "an endless lease"
	case s == "ignore":
		return "an order to ignore the machine"
	}
	digits := strings.TrimLeft(s, "0123456789")
	switch {
	case digits == "":
		return "a lease time in seconds"
	case len(digits) == 1 && len(s) > 1 && strings.Contains("smhdw", digits):
		return "a lease time"
	}
	return ""
}

func isAlnum(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' }

// lower folds A to Z alone: strings.ToLower makes a k of the Kelvin sign.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// IsZero reports whether h is no name.
func (h Hostname) IsZero() bool { return h.s == "" }

func (h Hostname) String() string { return h.s }

// WorkerID is a worker's key in the ledger.
type WorkerID struct{ s string }

// ParseWorkerID lower-cases s and takes ^[a-z0-9][a-z0-9._-]{0,62}$
// without two dots in a row.
func ParseWorkerID(s string) (WorkerID, error) {
	id, err := parseID("worker id", s)
	return WorkerID{id}, err
}

// IsZero reports whether id is no id.
func (id WorkerID) IsZero() bool { return id.s == "" }

func (id WorkerID) String() string { return id.s }

// AgentID is a storage node's key in the inventory.
type AgentID struct{ s string }

// ParseAgentID lower-cases s and takes ^[a-z0-9][a-z0-9._-]{0,62}$
// without two dots in a row.
func ParseAgentID(s string) (AgentID, error) {
	id, err := parseID("agent id", s)
	return AgentID{id}, err
}

// IsZero reports whether id is no id.
func (id AgentID) IsZero() bool { return id.s == "" }

func (id AgentID) String() string { return id.s }

func parseID(what, s string) (string, error) {
	id := lower(s)
	ok := len(id) > 0 && len(id) <= 63 && isAlnum(id[0])
	for i := 1; ok && i < len(id); i++ {
		ok = isAlnum(id[i]) || strings.IndexByte("._-", id[i]) >= 0
	}
	if !ok {
		return "", fault.New(fault.Invalid, "%s %q is not made of a-z, 0-9, '.', '_' and '-', starting with a letter or digit, at most 63", what, fault.Clip(s))
	}
	if strings.Contains(id, "..") {
		return "", fault.New(fault.Invalid, "%s %q holds two dots in a row", what, s)
	}
	return id, nil
}

// Arch is a machine's processor architecture, such as x86_64.
type Arch struct{ s string }

// ParseArch lower-cases s and takes [a-z0-9_], at most 32.
func ParseArch(s string) (Arch, error) {
	a := lower(s)
	ok := len(a) > 0 && len(a) <= 32
	for i := 0; ok && i < len(a); i++ {
		ok = isAlnum(a[i]) || a[i] == '_'
	}
	if !ok {
		return Arch{}, fault.New(fault.Invalid, "arch %q is not made of a-z, 0-9 and '_', at most 32", fault.Clip(s))
	}
	return Arch{a}, nil
}

// IsZero reports whether a is none.
func (a Arch) IsZero() bool { return a.s == "" }

func (a Arch) String() string { return a.s }
