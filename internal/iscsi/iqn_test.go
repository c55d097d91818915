package iscsi

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ipxe-all-ready/internal/fault"
)

const base = "iqn.2026-07.com.controller"

func TestIQNsAreLowerCased(t *testing.T) {
	for in, want := range map[string]string{
		base + ":worker-01.ubuntu":             base + ":worker-01.ubuntu",
		"IQN.2026-07.COM.Controller:PC-01.Win": base + ":pc-01.win",
		base + ":lab:worker-01":                base + ":lab:worker-01",
		base + ":win11-24h2.iso":               base + ":win11-24h2.iso",
		"iqn.1987-05.x:1":                      "iqn.1987-05.x:1",
		base + ":" + strings.Repeat("a", 196):  base + ":" + strings.Repeat("a", 196), // 223 bytes
		base + "::a":                           base + "::a",
		base + ":-a.":                          base + ":-a.",
	} {
		q, err := ParseIQN(in)
		if err != nil || q.String() != want || q.IsZero() {
			t.Errorf("%q: got %q, %v", in, q, err)
		}
	}
}

func TestAnIQNOfAnotherFormIsRefused(t *testing.T) {
	const (
		start   = "does not start with iqn.YYYY-MM.<reversed domain>"
		letters = "holds a character other than a-z, 0-9, '.', ':' and '-'"
		suffix  = "has no name after a colon"
	)
	for in, why := range map[string]string{
		"":                                     start,
		"worker-01":                            start,
		"eui.02004567a425678d":                 start,
		"iqn":                                  start,
		"iqn.":                                 start,
		"iqn.2026-07":                          start,
		"iqn.2026-07.":                         start,
		"iqn.2026-07.:a":                       start,
		"iqn.2026-00.com.x:a":                  start,
		"iqn.2026-13.com.x:a":                  start,
		"iqn.2026-7.com.x:a":                   start,
		"iqn.26-07.com.x:a":                    start,
		"iqn.2026_07.com.x:a":                  start,
		"iqn.2026-07-com.x:a":                  start,
		"iqn.yyyy-mm.com.x:a":                  start,
		"iqn.2026-07..com:a":                   start,
		"iqn.2026-07.com.:a":                   start,
		"iqn.2026-07.-com:a":                   start,
		" " + base + ":a":                      start,
		"${iqn}.2026-07.com:a":                 start,
		base:                                   suffix,
		base + ":":                             suffix,
		base + ":a:":                           suffix,
		base + ":a_b":                          letters,
		base + ":a,b":                          letters,
		base + ":a b":                          letters,
		base + ":a\n":                          letters,
		base + ":a\nset x y":                   letters,
		base + ":a\x00":                        letters,
		base + ":${x}":                         letters,
		base + ":a;reboot":                     letters,
		base + ":a/b":                          letters,
		base + ":é":                            letters,
		base + ":wor\u212aer":                  letters,
		base + ":\xff":                         letters,
		base + ":../x":                         letters,
		base + ":a..b":                         "holds two dots in a row",
		base + ":" + strings.Repeat("a", 197):  "is longer than 223 bytes",
		base + ":" + strings.Repeat("a", 9999): "is longer than 223 bytes",
	} {
		q, err := ParseIQN(in)
		if want := fmt.Sprintf("iqn %q %s", fault.Clip(in), why); !fault.Is(err, fault.Invalid) || err.Error() != want || !q.IsZero() {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestABaseMayHaveColonsButNotEndWithOne(t *testing.T) {
	for in, want := range map[string]string{base: base, base + ":lab": base + ":lab", "IQN.2026-07.Com.X": "iqn.2026-07.com.x"} {
		if b, err := ParseBase(in); err != nil || b.String() != want || b.IsZero() {
			t.Errorf("%q: got %q, %v", in, b, err)
		}
	}
	for in, why := range map[string]string{
		base + ":":    "ends with a colon",
		"":            "does not start with iqn.YYYY-MM.<reversed domain>",
		base + ":a_b": "holds a character other than a-z, 0-9, '.', ':' and '-'",
		base + ".a..": "does not start with iqn.YYYY-MM.<reversed domain>",
	} {
		b, err := ParseBase(in)
		if want := fmt.Sprintf("iqn base %q %s", in, why); !fault.Is(err, fault.Invalid) || err.Error() != want || !b.IsZero() {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestAnIQNIsItsBaseAndItsSuffix(t *testing.T) {
	for in, parts := range map[string][2]string{
		base + ":worker-01.ubuntu": {base, "worker-01.ubuntu"},
		base + ":lab:worker-01.os": {base + ":lab", "worker-01.os"},
	} {
		q := parsed(t, ParseIQN, in)
		if q.Base().String() != parts[0] || q.Suffix() != parts[1] {
			t.Errorf("%s: got %q and %q", in, q.Base(), q.Suffix())
		}
		if again, err := q.Base().IQN(q.Suffix()); err != nil || again != q {
			t.Errorf("%s: put together it is %q, %v", in, again, err)
		}
	}
	if (IQN{}).Base() != (Base{}) || (IQN{}).Suffix() != "" {
		t.Error("no name has parts")
	}
}

func TestABaseHoldsTheNamesBehindItsColon(t *testing.T) {
	b := parsed(t, ParseBase, base)
	for in, want := range map[string]bool{
		base + ":a": true, base + ":lab:a": true, base + "s:a": false, base + ".a:b": false, "iqn.2026-07.com.other:a": false, "iqn.2026-07.com:a": false,
	} {
		if b.Holds(parsed(t, ParseIQN, in)) != want {
			t.Errorf("%s: want %v", in, want)
		}
	}
	if b.Holds(IQN{}) {
		t.Error("it holds no name")
	}
}

func parsed[T any](t *testing.T, parse func(string) (T, error), s string) T {
	t.Helper()
	v, err := parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// checkRefusal holds what every refusal of a word is: the zero value and one
// sentence of a caller's fault that stays one line.
func checkRefusal(t *testing.T, zero bool, err error) {
	t.Helper()
	if !zero || !fault.Is(err, fault.Invalid) || strings.ContainsAny(err.Error(), "\r\n\x00") || len(err.Error()) > 700 {
		t.Fatalf("zero %v: %q", zero, err)
	}
}

var (
	iqnForm  = regexp.MustCompile(`^iqn\.[0-9]{4}-(0[1-9]|1[0-2])\.[a-z0-9]([a-z0-9.-]*[a-z0-9])?:[a-z0-9.:-]*[a-z0-9.-]$`)
	baseForm = regexp.MustCompile(`^iqn\.[0-9]{4}-(0[1-9]|1[0-2])\.[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[a-z0-9.:-]*[a-z0-9.-])?$`)
)

func seedIQNs(f *testing.F) {
	for _, s := range []string{base, base + ":worker-01.ubuntu", "IQN.2026-07.COM.X:PC-01", base + ":a_b", base + ":a,b", base + ":a\n", base + ":${x}", base + "::", base + ":a..b",
		"iqn.2026-13.x:a", "iqn.2026-01.\u212a:a", base + ":" + strings.Repeat("a", 196), base + ":" + strings.Repeat("a", 197), ""} {
		f.Add(s)
	}
}

func FuzzParseIQN(f *testing.F) {
	seedIQNs(f)
	f.Fuzz(func(t *testing.T, s string) {
		q, err := ParseIQN(s)
		if err != nil {
			checkRefusal(t, q.IsZero(), err)
			return
		}
		if !iqnForm.MatchString(q.String()) || len(q.String()) > 223 || strings.Contains(q.String(), "..") {
			t.Fatalf("%q came out as %q", s, q)
		}
		if again, err := ParseIQN(q.String()); err != nil || again != q {
			t.Fatalf("%q is read back as %q, %v", q, again, err)
		}
		if again, err := q.Base().IQN(q.Suffix()); err != nil || again != q || !q.Base().Holds(q) {
			t.Fatalf("%q put together is %q, %v", q, again, err)
		}
	})
}

func FuzzParseBase(f *testing.F) {
	seedIQNs(f)
	f.Fuzz(func(t *testing.T, s string) {
		b, err := ParseBase(s)
		if err != nil {
			checkRefusal(t, b.IsZero(), err)
			return
		}
		if !baseForm.MatchString(b.String()) || len(b.String()) > 223 || strings.Contains(b.String(), "..") {
			t.Fatalf("%q came out as %q", s, b)
		}
		if again, err := ParseBase(b.String()); err != nil || again != b {
			t.Fatalf("%q is read back as %q, %v", b, again, err)
		}
		if q, err := b.IQN("a"); err == nil && !b.Holds(q) {
			t.Fatalf("%q does not hold %q", b, q)
		}
	})
}
