// Package theme owns the colours. What a colour says, a letter or symbol
// beside it says too; without colours only bold and reverse are left.
package theme

import (
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Role is what a piece of text is.
type Role int

// The roles.
const (
	Plain Role = iota
	Dim
	Title
	Accent
	Good
	Warn
	Bad
	Key
	Cursor
	Marked
	Border
	roles
)

// Theme paints.
type Theme struct{ before, after [roles]string }

// Options say what the terminal can do.
type Options struct {
	Colour bool
	Dark   bool // its background
}

// colours are for light and dark backgrounds, from the 256 that every terminal
// in use has.
var colours = [roles]lipgloss.AdaptiveColor{
	Dim:    {Light: "241", Dark: "246"},
	Title:  {Light: "25", Dark: "117"},
	Accent: {Light: "25", Dark: "75"},
	Good:   {Light: "28", Dark: "114"},
	Warn:   {Light: "130", Dark: "221"},
	Bad:    {Light: "160", Dark: "210"},
	Key:    {Light: "91", Dark: "183"},
	Marked: {Light: "91", Dark: "183"},
	Border: {Light: "245", Dark: "241"},
}

// New makes a theme.
func New(o Options) *Theme {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetHasDarkBackground(o.Dark)
	r.SetColorProfile(termenv.ANSI256)
	t := &Theme{}
	for role := range roles {
		style := r.NewStyle()
		if o.Colour && colours[role].Dark != "" {
			style = style.Foreground(colours[role])
		}
		switch role {
		case Title, Key, Marked:
			style = style.Bold(true)
		case Cursor:
			style = style.Reverse(true)
		}
		t.before[role], t.after[role], _ = strings.Cut(style.Render("x"), "x")
	}
	return t
}

// Paint is s in a role. Painting twice is for the outer one to undo.
func (t *Theme) Paint(role Role, s string) string {
	if s == "" {
		return s
	}
	return t.before[role] + s + t.after[role]
}
