package theme

import (
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Keep is a line with nothing in it that steers a terminal but what this theme
// painted, in as many columns. It is the last thing that is done to a frame:
// words of machines and of other people are cleaned where they are shown, and
// one place that forgot it must not matter.
func (t *Theme) Keep(line string) string {
	if plain(line) {
		return line
	}
	var b strings.Builder
	var state byte
	for len(line) > 0 {
		part, width, n, next := ansi.DecodeSequence(line, state, nil)
		if n == 0 {
			break
		}
		line, state = line[n:], next
		switch {
		case width > 0:
			b.WriteString(strings.Map(legible, part))
		case t.painted(part):
			b.WriteString(part)
		}
	}
	return b.String()
}

func (t *Theme) painted(sequence string) bool {
	return slices.Contains(t.before[:], sequence) || slices.Contains(t.after[:], sequence)
}

// legible drops what takes no column and changes those that do.
func legible(r rune) rune {
	if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
		return -1
	}
	return r
}

func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}
