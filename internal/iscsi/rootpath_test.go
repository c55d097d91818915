package iscsi

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"ipxe-all-ready/internal/fault"
)

func TestALUNInARootPathIsHexadecimal(t *testing.T) {
	for l, want := range map[LUN]string{0: "::::", 1: ":::1:", 9: ":::9:", 10: ":::a:", 15: ":::f:", 16: ":::10:", 255: ":::ff:", 16383: ":::3fff:"} {
		if got := NewSeparator(l).String(); got != want {
			t.Errorf("lun %d: got %s, want %s", l, got, want)
		}
	}
	if SeparatorSTGT.String() != ":::1:" || SeparatorLIO.String() != "::::" {
		t.Error(SeparatorSTGT, SeparatorLIO)
	}
}

func TestALUNIsReadAsADecimalNumber(t *testing.T) {
	for in, want := range map[string]LUN{"0": 0, "1": 1, "10": 10, "010": 10, "16383": 16383} {
		if l, err := ParseLUN(in); err != nil || l != want {
			t.Errorf("%q: got %d, %v", in, l, err)
		}
	}
	for _, in := range []string{"", " 1", "1 ", "1\n", "-1", "+1", "a", "0x1", "1.5", "1e1", "1_0", "16384", "65536", "99999999999999999999", "１"} {
		l, err := ParseLUN(in)
		if want := fmt.Sprintf("lun %q is not a number from 0 to 16383", in); !fault.Is(err, fault.Invalid) || err.Error() != want || l != 0 {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestHostsAreNamesAndAddresses(t *testing.T) {
	for in, want := range map[string]string{
		"192.168.80.3": "192.168.80.3", "storage-1": "storage-1", "Storage-1.Lab.Example": "storage-1.lab.example", "a": "a", "3com": "3com", "1.2.3.a": "1.2.3.a",
		"fd00::3": "[fd00::3]", "[fd00::3]": "[fd00::3]", "FD00:0:0::3": "[fd00::3]", "::1": "[::1]", "::ffff:10.0.0.1": "[::ffff:10.0.0.1]",
		strings.Repeat("a", 63) + ".b": strings.Repeat("a", 63) + ".b",
	} {
		h, err := ParseHost(in)
		if err != nil || h.String() != want || h.IsZero() {
			t.Errorf("%q: got %q, %v", in, h, err)
		}
	}
}

func TestAHostOfAnotherFormIsRefused(t *testing.T) {
	for _, in := range []string{
		"", " ", "a b", " a", "a ", "a\n", "a\nset x y", "a,b", "${x}", "${next-server}", "a;b", "a/b", "a\\b", "a_b", "é", "\u212a", "\xff", "a@b", "a:3260", "10.0.0.1:3260",
		"-a", "a-", "a.-b", ".a", "a.", "a..b", ".", "..", "1.2.3", "1.2.3.4.5", "256.1.1.1", "12345", "01.2.3.4",
		"[10.0.0.1]", "[a]", "[", "]", "[]", "[::1", "::1]", "[[::1]]", "fe80::1%eth0", "[fe80::1%eth0]", "[::1]:3260", ":::1", "http://a",
		strings.Repeat("a", 64), strings.Repeat("a.", 127) + "a",
	} {
		h, err := ParseHost(in)
		if want := fmt.Sprintf("iscsi server %q is neither a host name nor an IP address", fault.Clip(in)); !fault.Is(err, fault.Invalid) || err.Error() != want || !h.IsZero() {
			t.Errorf("got %q, %v\nwant %s", h, err, want)
		}
	}
}

func TestARootPathIsExact(t *testing.T) {
	q := parsed(t, ParseIQN, base+":worker-01.ubuntu")
	for _, c := range []struct {
		host string
		sep  Separator
		want string
	}{
		{"192.168.80.3", SeparatorSTGT, "iscsi:192.168.80.3:::1:iqn.2026-07.com.controller:worker-01.ubuntu"},
		{"storage", SeparatorLIO, "iscsi:storage::::iqn.2026-07.com.controller:worker-01.ubuntu"},
		{"fd00::3", NewSeparator(10), "iscsi:[fd00::3]:::a:iqn.2026-07.com.controller:worker-01.ubuntu"},
	} {
		if got := string(AppendRootPath(nil, parsed(t, ParseHost, c.host), c.sep, q)); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func FuzzParseLUN(f *testing.F) {
	for _, s := range []string{"0", "1", "10", "16383", "16384", "-1", "+1", "0x1", "1_0", "", "1\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := ParseLUN(s)
		if err != nil {
			checkRefusal(t, l == 0, err)
			return
		}
		if again, err := ParseLUN(fmt.Sprint(l)); err != nil || again != l || strings.Trim(s, "0123456789") != "" || l > 16383 {
			t.Fatalf("%q is lun %d and is read back as %d, %v", s, l, again, err)
		}
		if l != 0 && !regexp.MustCompile(`^:::[1-9a-f][0-9a-f]*:$`).MatchString(NewSeparator(l).String()) {
			t.Fatalf("lun %d has the separator %s", l, NewSeparator(l))
		}
	})
}

func FuzzParseHost(f *testing.F) {
	for _, s := range []string{"192.168.80.3", "storage-1.lab", "fd00::3", "[fd00::3]", "fe80::1%eth0", "${x}", "a b", "a\n", "[a]", "1.2.3", "\u212a", ""} {
		f.Add(s)
	}
	name := regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)
	f.Fuzz(func(t *testing.T, s string) {
		h, err := ParseHost(s)
		if err != nil {
			checkRefusal(t, h.IsZero(), err)
			return
		}
		if again, err := ParseHost(h.String()); err != nil || again != h {
			t.Fatalf("%q is read back as %q, %v", h, again, err)
		}
		if strings.HasPrefix(h.String(), "[") {
			if a, err := netip.ParseAddr(strings.Trim(h.String(), "[]")); err != nil || !a.Is6() || a.Zone() != "" {
				t.Fatalf("%q came out as %q", s, h)
			}
			return
		}
		if !name.MatchString(h.String()) || len(h.String()) > 253 {
			t.Fatalf("%q came out as %q", s, h)
		}
	})
}
