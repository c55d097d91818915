// Package cell owns widths: text that is cut and padded to columns of a
// terminal, wide characters included, with nothing in it that moves a cursor.
package cell

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Width is how many columns s takes, escape sequences not counted.
func Width(s string) int {
	if plain(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// Clean is s on one line: what a machine or a person sent must not steer the
// terminal.
func Clean(s string) string {
	if plain(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return '?'
		}
		return r
	}, s)
}

func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// Cut is s in at most w columns, ending in … where something is missing. It
// may hold escape sequences.
func Cut(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if Width(s) <= w {
		return s
	}
	if plain(s) && w > 1 {
		return s[:w-1] + "…"
	}
	return ansi.Truncate(s, w, "…")
}

// CutMiddle is s in at most w columns with … in its middle: names of one kind
// differ at their ends.
func CutMiddle(s string, w int) string {
	whole := Width(s)
	if whole <= w || w < 5 {
		return Cut(s, w)
	}
	tail := ansi.TruncateLeft(s, whole-w/2, "")
	if Width(tail) > w/2 { // half of a wide character was to go
		tail = ansi.TruncateLeft(s, whole-w/2+1, "")
	}
	return ansi.Truncate(s, w-1-w/2, "") + "…" + tail
}

// FitMiddle is the same in exactly w columns.
func FitMiddle(s string, w int) string { return Fit(CutMiddle(s, w), w) }

const blanks = "                                                                                                                                "

// Blank is n spaces.
func Blank(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(blanks) {
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}

// Fit is s in exactly w columns, to the left.
func Fit(s string, w int) string {
	s = Cut(s, w)
	return s + Blank(w-Width(s))
}

// FitRight is the same to the right.
func FitRight(s string, w int) string {
	s = Cut(s, w)
	return Blank(w-Width(s)) + s
}

// Wrap breaks s into lines of at most w columns.
func Wrap(s string, w int) []string {
	if w <= 0 {
		return nil
	}
	return strings.Split(ansi.Wrap(s, w, ""), "\n")
}

// Block is lines as exactly h lines of exactly w columns.
func Block(lines []string, w, h int) []string {
	out := make([]string, 0, h)
	for i := range h {
		if i < len(lines) {
			out = append(out, Fit(lines[i], w))
		} else {
			out = append(out, Blank(w))
		}
	}
	return out
}
