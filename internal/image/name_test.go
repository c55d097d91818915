package image

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ipxe-all-ready/internal/fault"
)

func TestFileNamesAreKeptAsTheyAre(t *testing.T) {
	for _, c := range []struct {
		in     string
		parse  func(string) (Name, error)
		master bool
		cd     bool
		suffix string
	}{
		{"worker-01.ubuntu.img", ParseDisk, false, false, "worker-01.ubuntu"},
		{"PC-01.Windows.img", ParseDisk, false, false, "pc-01.windows"},
		{"win_11.img", ParseDisk, false, false, "win-11"},
		{"a.img", ParseDisk, false, false, "a"},
		{"_a-.img", ParseDisk, false, false, "-a-"},
		{"a.iso.img", ParseDisk, false, false, "a.iso"},
		{"debian_tpl_12.img", ParseDisk, true, false, "debian-tpl-12"},
		{"debian_tpl_12.img", ParseMaster, true, false, "debian-tpl-12"},
		{"_tpl_.img", ParseMaster, true, false, "-tpl-"},
		{"Win11_24H2.iso", ParseCD, false, true, "win11-24h2.iso"},
		{"a.img.iso", ParseCD, false, true, "a.img.iso"},
		{strings.Repeat("a", 196) + ".img", ParseDisk, false, false, strings.Repeat("a", 196)},
	} {
		n, err := c.parse(c.in)
		if err != nil || n.String() != c.in || n.IsMaster() != c.master || n.IsCD() != c.cd || n.Suffix() != c.suffix || n.IsZero() {
			t.Errorf("%q: got %q, master %v, cd %v, suffix %q, %v", c.in, n, n.IsMaster(), n.IsCD(), n.Suffix(), err)
		}
	}
}

func TestANameThatIsNoPlainFileIsRefused(t *testing.T) {
	const (
		letters = "is not one file name of A-Z, a-z, 0-9, '.', '_' and '-'"
		first   = "starts with '.' or '-'"
		long    = "is longer than 200 bytes"
	)
	for in, why := range map[string]string{
		"":                         "is empty",
		"../x":                     first,
		"..":                       first,
		".":                        first,
		".hidden":                  first,
		"-rf":                      first,
		"/etc/passwd":              letters,
		"a/b":                      letters,
		"a/../b":                   letters,
		`a\b`:                      letters,
		"a b":                      letters,
		" a":                       letters,
		"a\n":                      letters,
		"a\nb":                     letters,
		"a\x00":                    letters,
		"a,b":                      letters,
		"a:b":                      letters,
		"${x}":                     letters,
		"$(id)":                    letters,
		"a;b":                      letters,
		"a`id`":                    letters,
		"a'b":                      letters,
		"a*":                       letters,
		"é":                        letters,
		"\u212a":                   letters,
		"\xff":                     letters,
		"a%2e":                     letters,
		"a..b":                     "holds two dots in a row",
		"a.":                       "holds two dots in a row", // with the ending behind it
		strings.Repeat("a", 197):   long,
		strings.Repeat("../", 500): long,
		strings.Repeat("a\n", 500): long,
	} {
		for ext, parse := range map[string]func(string) (Name, error){".img": ParseDisk, ".iso": ParseCD} {
			name := in
			if in != "" {
				name += ext
			}
			what := map[string]string{".img": "disk file", ".iso": "iso"}[ext]
			n, err := parse(name)
			if want := fmt.Sprintf("%s %q %s", what, fault.Clip(name), why); !fault.Is(err, fault.Invalid) || err.Error() != want || !n.IsZero() {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		}
	}
}

func TestANameOfAnotherEndingIsRefused(t *testing.T) {
	for in, parse := range map[string]func(string) (Name, error){
		"a": ParseDisk, "a.iso": ParseDisk, "a.img.iso": ParseDisk, "a.IMG": ParseDisk, "a.img.": ParseDisk, "a.qcow2": ParseDisk, "aimg": ParseDisk,
		"a.img": ParseCD, "a.iso.img": ParseCD, "a.ISO": ParseCD, "b": ParseCD, "b.img": ParseMaster,
	} {
		n, err := parse(in)
		if !fault.Is(err, fault.Invalid) || !n.IsZero() {
			t.Errorf("%q was taken: %v", in, err)
		}
	}
	for _, c := range []struct{ got, want string }{
		{text(ParseDisk("a.iso")), `disk file "a.iso" does not end in .img`},
		{text(ParseCD("a.img")), `iso "a.img" does not end in .iso`},
		{text(ParseMaster("a.img")), `master "a.img" does not carry _tpl_ in its name`},
		{text(ParseMaster("a_TPL_.img")), `master "a_TPL_.img" does not carry _tpl_ in its name`},
		{text(ParseMaster("a_tpl_.iso")), `master "a_tpl_.iso" does not end in .img`},
	} {
		if c.got != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
}

func text(_ Name, err error) string { return fmt.Sprint(err) }

var (
	nameForm   = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,195}\.(img|iso)$`)
	suffixForm = regexp.MustCompile(`^[a-z0-9.-]{1,200}$`)
)

func FuzzParseNames(f *testing.F) {
	for _, s := range []string{"a.img", "Win11_24H2.iso", "a_tpl_.img", "../x.img", "a..img", ".a.img", "-a.img", "a.img\n", "a b.img", "${x}.img", "a.img.iso", "/a.iso", "A.IMG", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, parse := range []func(string) (Name, error){ParseDisk, ParseCD, ParseMaster} {
			n, err := parse(s)
			if err != nil {
				checkRefusal(t, n.IsZero(), err)
				continue
			}
			if n.String() != s || !nameForm.MatchString(s) || strings.Contains(s, "..") || n.IsMaster() != strings.Contains(s, "_tpl_") {
				t.Fatalf("%q came out as %q", s, n)
			}
			if !suffixForm.MatchString(n.Suffix()) || strings.Contains(n.Suffix(), "..") {
				t.Fatalf("%q has the suffix %q", s, n.Suffix())
			}
		}
	})
}

// checkRefusal holds what every refusal of a word is: the zero value and one
// sentence of a caller's fault that stays one line.
func checkRefusal(t *testing.T, zero bool, err error) {
	t.Helper()
	if !zero || !fault.Is(err, fault.Invalid) || strings.ContainsAny(err.Error(), "\r\n\x00") || len(err.Error()) > 700 {
		t.Fatalf("zero %v: %q", zero, err)
	}
}
