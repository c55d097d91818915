package netboot

import (
	"regexp"
	"strings"
	"testing"

	"ipxe-all-ready/internal/fault"
)

func TestHostnamesAreLowerCasedLabels(t *testing.T) {
	for in, want := range map[string]string{
		"worker-01": "worker-01", "PC-01": "pc-01", "a": "a", "z9": "z9", "9z": "9z", "10x": "10x", "10mm": "10mm", "m10": "m10",
		"1-0": "1-0", "a--b": "a--b", "xn--bcher-kva": "xn--bcher-kva", "infinite1": "infinite1", "ignored": "ignored", "s": "s", "10m-1": "10m-1",
		strings.Repeat("a", 63): strings.Repeat("a", 63),
	} {
		h, err := ParseHostname(in)
		if err != nil || h.String() != want || h.IsZero() {
			t.Errorf("%q: got %q, %v", in, h, err)
		}
	}
}

// nasty is what no name of any kind may let through.
var nasty = []string{
	"", " ", "a b", " a", "a ", "a\n", "a\nb", "\na", "a\r", "a\tb", "a\x00", "a,b", "a,", "${x}", "a${x}", "$a", "a$(id)", "a`id`", "a;b", "a|b",
	"a&b", "a>b", "a'b", `a"b`, `a\b`, "a/b", "../a", "..", "a..b", "a/../b", "-a", "é", "a\u00e9", "\u212a", "wor\u212aer", "\u017f", "a\u200bb", "ａ", "\xff", "a\x80",
	"a*", "a?", "a#b", "a%b", "a@b", "a=b", "a+b", "a~b", "a!b", "a(b)", "a{b}", "a[b]", "a<b", "a^b",
}

func TestAHostnameThatIsNoLabelIsRefused(t *testing.T) {
	const why = ` is not one DNS label: letters, digits and inner hyphens, at most 63`
	for _, in := range append([]string{"a-", "-", "a.b", "a.", ".a", "a_b", "a:b", strings.Repeat("a", 64), strings.Repeat("a", 5000)}, nasty...) {
		h, err := ParseHostname(in)
		if !fault.Is(err, fault.Invalid) || !strings.HasSuffix(err.Error(), why) || !h.IsZero() {
			t.Errorf("%q: got %q, %v", in, h, err)
		}
	}
}

func TestAHostnameThatDNSMasqReadsAsSomethingElseIsRefused(t *testing.T) {
	for in, word := range map[string]string{
		"10m": "a lease time", "2h": "a lease time", "1w": "a lease time", "3d": "a lease time", "30s": "a lease time", "10M": "a lease time", "0h": "a lease time",
		"12345": "a lease time in seconds", "0": "a lease time in seconds",
		"infinite": "an endless lease", "INFINITE": "an endless lease", "ignore": "an order to ignore the machine", "Ignore": "an order to ignore the machine",
	} {
		_, err := ParseHostname(in)
		if want := `hostname "` + in + `" would be read by dnsmasq as ` + word; !fault.Is(err, fault.Invalid) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestIDsAreLowerCased(t *testing.T) {
	for in, want := range map[string]string{
		"worker-01": "worker-01", "Storage_1.B": "storage_1.b", "a": "a", "0": "0", "10m": "10m", "a-": "a-", "a.": "a.", "1_": "1_",
		strings.Repeat("x", 63): strings.Repeat("x", 63),
	} {
		w, errW := ParseWorkerID(in)
		a, errA := ParseAgentID(in)
		if errW != nil || errA != nil || w.String() != want || a.String() != want || w.IsZero() || a.IsZero() {
			t.Errorf("%q: got %q %v, %q %v", in, w, errW, a, errA)
		}
	}
}

func TestAnIDOfAnotherFormIsRefused(t *testing.T) {
	const why = ` is not made of a-z, 0-9, '.', '_' and '-', starting with a letter or digit, at most 63`
	_, err := ParseAgentID("a..b")
	if !fault.Is(err, fault.Invalid) || err.Error() != `agent id "a..b" holds two dots in a row` {
		t.Error(err)
	}
	for _, in := range append([]string{".a", "_a", "-", ".", "a:b", strings.Repeat("x", 64), strings.Repeat("x", 5000)}, nasty...) {
		if in == "a..b" {
			continue
		}
		w, errW := ParseWorkerID(in)
		if !fault.Is(errW, fault.Invalid) || !strings.HasPrefix(errW.Error(), `worker id "`) || !strings.HasSuffix(errW.Error(), why) || !w.IsZero() {
			t.Errorf("%q: got %q, %v", in, w, errW)
		}
		a, errA := ParseAgentID(in)
		if !fault.Is(errA, fault.Invalid) || !strings.HasPrefix(errA.Error(), `agent id "`) || !a.IsZero() {
			t.Errorf("%q: got %q, %v", in, a, errA)
		}
	}
}

func TestArchitecturesAreLowerCased(t *testing.T) {
	for in, want := range map[string]string{"x86_64": "x86_64", "ARM64": "arm64", "i386": "i386", strings.Repeat("a", 32): strings.Repeat("a", 32)} {
		if a, err := ParseArch(in); err != nil || a.String() != want || a.IsZero() {
			t.Errorf("%q: got %q, %v", in, a, err)
		}
	}
	for _, in := range append([]string{"x86-64", "x.64", strings.Repeat("a", 33)}, nasty...) {
		if a, err := ParseArch(in); !fault.Is(err, fault.Invalid) || !a.IsZero() {
			t.Errorf("%q: got %q, %v", in, a, err)
		}
	}
}

func seedNames(f *testing.F) {
	for _, s := range append([]string{"worker-01", "PC-01", "10m", "infinite", "12345", strings.Repeat("a", 63), strings.Repeat("a", 64)}, nasty...) {
		f.Add(s)
	}
}

func FuzzParseHostname(f *testing.F) {
	form := regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	word := regexp.MustCompile(`^([0-9]+[smhdw]?|infinite|ignore)$`)
	seedNames(f)
	f.Fuzz(func(t *testing.T, s string) {
		h, err := ParseHostname(s)
		lowered := asciiLower(s)
		if want := form.MatchString(lowered) && !word.MatchString(lowered); want != (err == nil) {
			t.Fatalf("%q: accepted is %v, want %v", s, err == nil, want)
		}
		if err != nil {
			checkRefusal(t, h.IsZero(), err)
			return
		}
		if again, err := ParseHostname(h.String()); h.String() != lowered || err != nil || again != h {
			t.Fatalf("%q came out as %q and is read back as %q, %v", s, h, again, err)
		}
	})
}

func FuzzParseIDs(f *testing.F) {
	form := regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,62}$`)
	seedNames(f)
	f.Fuzz(func(t *testing.T, s string) {
		w, err := ParseWorkerID(s)
		a, errA := ParseAgentID(s)
		lowered := asciiLower(s)
		want := form.MatchString(lowered) && !strings.Contains(s, "..")
		if want != (err == nil) || want != (errA == nil) {
			t.Fatalf("%q: accepted is %v and %v, want %v", s, err == nil, errA == nil, want)
		}
		if err != nil {
			checkRefusal(t, w.IsZero() && a.IsZero(), err)
			return
		}
		if again, err := ParseWorkerID(w.String()); w.String() != lowered || a.String() != lowered || err != nil || again != w {
			t.Fatalf("%q came out as %q and is read back as %q, %v", s, w, again, err)
		}
	})
}

func FuzzParseArch(f *testing.F) {
	form := regexp.MustCompile(`^[a-z0-9_]{1,32}$`)
	f.Add("x86_64")
	seedNames(f)
	f.Fuzz(func(t *testing.T, s string) {
		a, err := ParseArch(s)
		if want := form.MatchString(asciiLower(s)); want != (err == nil) || want && a.String() != asciiLower(s) {
			t.Fatalf("%q: got %q, %v", s, a, err)
		}
	})
}

// asciiLower is byte by byte on purpose, another way than the code under test.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}
