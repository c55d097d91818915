package cell

import (
	"strings"
	"testing"
	"time"
)

func TestTextFitsItsColumnsWhateverItHolds(t *testing.T) {
	for _, s := range []string{"", "abc", "机器一号", "a机b", "\x1b[31mred\x1b[0m text", "e\u0301te\u0301", strings.Repeat("长", 200)} {
		for _, w := range []int{0, 1, 2, 3, 7, 40} {
			for _, got := range []string{Fit(s, w), FitRight(s, w)} {
				if Width(got) != w {
					t.Errorf("%q in %d columns is %q, %d wide", s, w, got, Width(got))
				}
			}
		}
	}
	if got := Fit("worker-0123", 8); got != "worker-…" {
		t.Errorf("%q", got)
	}
}

func TestNothingThatWasSentSteersTheTerminal(t *testing.T) {
	if got := Clean("a\nb\tc\x1b[2Jd\u202ee"); got != "a b c?[2Jd?e" {
		t.Errorf("%q", got)
	}
}

func TestSizesAndAgesReadAsAPersonSaysThem(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1536: "1.5 KiB", 40 << 30: "40.0 GiB", 700 << 30: "700 GiB", 3 << 40: "3.0 TiB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	for d, want := range map[time.Duration]string{-time.Second: "0s", 5 * time.Second: "5s", 3 * time.Minute: "3m", 5 * time.Hour: "5h", 80 * time.Hour: "3d"} {
		if got := Age(d); got != want {
			t.Errorf("%s: %s", d, got)
		}
	}
}

func TestNaturalKeysCountNumbers(t *testing.T) {
	for _, pair := range [][2]string{{"w-2", "w-10"}, {"w-2", "w-2a"}, {"w-09", "w-10"}, {"W-1", "w-2"}, {"9", "100000000000000000000"}} {
		if NaturalKey(pair[0]) >= NaturalKey(pair[1]) {
			t.Errorf("%s is not before %s", pair[0], pair[1])
		}
	}
}

func TestABarShowsItsShare(t *testing.T) {
	for _, c := range []struct {
		done, total int64
		want        string
	}{{0, 10, "[........]"}, {5, 10, "[####....]"}, {20, 10, "[########]"}, {1, 0, "          "}} {
		if got := Bar(c.done, c.total, 10); got != c.want {
			t.Errorf("%d of %d: %q", c.done, c.total, got)
		}
	}
}

func TestALongNameKeepsItsHeadAndItsTail(t *testing.T) {
	for _, x := range []struct {
		s    string
		w    int
		want string
	}{
		{"node-127-0-0-1-31842", 12, "node-…-31842"},
		{"node-1", 12, "node-1"},
		{"iqn.2026-07.com.example:worker-03.ubuntu", 20, "iqn.2026-…-03.ubuntu"},
		{"机房-北京-第三排-0042", 12, "机房-…-0042"},
		{"abcdef", 4, "abc…"},
	} {
		if got := CutMiddle(x.s, x.w); got != x.want || Width(got) > x.w {
			t.Errorf("%q in %d is %q", x.s, x.w, got)
		}
		if got := FitMiddle(x.s, x.w); Width(got) != x.w {
			t.Errorf("%q takes %d columns and not %d", got, Width(got), x.w)
		}
	}
}
