package dialog

import (
	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/keys"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

// Reader is a text to read.
type Reader struct {
	c     *ui.Ctx
	title string
	lines func() []string
	top   int
	rows  int
	count int
}

// NewReader shows lines, made anew with every frame.
func NewReader(c *ui.Ctx, title string, lines func() []string) *Reader {
	return &Reader{c: c, title: title, lines: lines, rows: 1}
}

// Scope is where its keys are looked up.
func (r *Reader) Scope() keys.Scope { return keys.Reader }

// Title names it.
func (r *Reader) Title() string { return r.title }

// Key scrolls or closes.
func (r *Reader) Key(k tea.KeyMsg) tea.Cmd {
	switch a, _ := keys.Find(k.String(), keys.Reader); a {
	case keys.Back:
		return r.c.Post(ui.Close{Dialog: r})
	case keys.Up:
		r.top--
	case keys.Down:
		r.top++
	case keys.PageUp:
		r.top -= r.rows
	case keys.PageDown:
		r.top += r.rows
	}
	r.top = max(min(r.top, r.count-r.rows), 0)
	return nil
}

// Update has nothing to hear.
func (r *Reader) Update(tea.Msg) tea.Cmd { return nil }

// View is what of the text is on screen.
func (r *Reader) View(w, h int) []string {
	var all []string
	for _, l := range r.lines() {
		all = append(all, cell.Wrap(l, w)...)
	}
	r.rows, r.count = max(h-1, 1), len(all)
	r.top = max(min(r.top, r.count-r.rows), 0)
	end := min(r.top+r.rows, len(all))
	out := append([]string{}, all[r.top:end]...)
	foot := r.c.T("reader.keys")
	if len(all) > r.rows {
		foot = r.c.T("reader.more", r.top+1, end, len(all)) + "  " + foot
	}
	return append(out, r.c.Paint(theme.Dim, cell.Cut(foot, w)))
}
