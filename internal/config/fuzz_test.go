package config

import (
	"strings"
	"testing"
	"time"
)

func FuzzDurations(f *testing.F) {
	for _, s := range []string{"", "10", "0.5", "1s", "500ms", "1h", "-1", "+1", "1e3", ".", "9999999999999999999", "1µs", "١", "NaN", "1\n", "0x10", "--", "1.2.3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := From(func(string) (string, bool) { return text, true })
		const def, least = 7 * time.Second, 100 * time.Millisecond
		for _, d := range []time.Duration{s.Seconds("X", def, least), s.Milliseconds("X", def, least)} {
			if d < least {
				t.Errorf("%q is %s", text, d)
			}
			if s.Err() != nil && len(s.Err().Error()) > 1000 {
				t.Errorf("%q: %d bytes of error", text, len(s.Err().Error()))
			}
		}
		// What came out reads back as itself.
		d := From(func(string) (string, bool) { return text, true }).Seconds("X", def, 0)
		if again := From(func(string) (string, bool) { return d.String(), true }).Seconds("X", def, 0); again != d {
			t.Errorf("%q is %s and then %s", text, d, again)
		}
	})
}

func FuzzParseListen(f *testing.F) {
	for _, s := range []string{":4839", "127.0.0.1:0", "[::1]:1", "a:b", ":65536", "", "x", ":1\n", "[::1%lo]:80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out, err := parseListen(text)
		if err != nil {
			return
		}
		if again, err := parseListen(out); err != nil || again != out || strings.ContainsAny(out, " \n\x00") {
			t.Errorf("%q came out as %q and is read back as %q, %v", text, out, again, err)
		}
	})
}
