package dialog

import (
	"strings"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/keys"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

// Item is one line to pick.
type Item struct {
	Label string
	Note  string
	Off   string // why it cannot be picked; "" where it can
	Do    func() tea.Cmd
}

// Pick is a list that typing narrows.
type Pick struct {
	c     *ui.Ctx
	title string
	items []Item
	found []Item
	text  textinput.Model
	at    int
	more  func(string) []Item // items that depend on what was typed
}

// NewPick makes a list; more may be nil.
func NewPick(c *ui.Ctx, title string, items []Item, more func(string) []Item) *Pick {
	p := &Pick{c: c, title: title, items: items, more: more, text: textinput.New()}
	p.text.Prompt = "> "
	p.text.Cursor.SetMode(cursor.CursorStatic)
	p.text.Focus()
	p.narrow()
	return p
}

func (p *Pick) narrow() {
	typed := strings.ToLower(strings.TrimSpace(p.text.Value()))
	p.found = nil
	for _, i := range p.items {
		if strings.Contains(strings.ToLower(i.Label+" "+i.Note), typed) {
			p.found = append(p.found, i)
		}
	}
	if p.more != nil && typed != "" {
		p.found = append(p.found, p.more(typed)...)
	}
	p.at = 0
}

// Scope is where its keys are looked up.
func (p *Pick) Scope() keys.Scope { return keys.Pick }

// Title names it.
func (p *Pick) Title() string { return p.title }

// Key moves, picks or types.
func (p *Pick) Key(k tea.KeyMsg) tea.Cmd {
	a, _ := keys.Find(k.String(), keys.Pick)
	switch {
	case a == keys.Back:
		return p.c.Post(ui.Close{Dialog: p})
	case a == keys.Up:
		p.at = max(p.at-1, 0)
	case a == keys.Down:
		p.at = max(min(p.at+1, len(p.found)-1), 0)
	case a == keys.Submit:
		return p.pick()
	default:
		p.text, _ = p.text.Update(k)
		p.narrow()
	}
	return nil
}

func (p *Pick) pick() tea.Cmd {
	if p.at >= len(p.found) {
		return nil
	}
	if off := p.found[p.at].Off; off != "" {
		return p.c.Post(ui.Notice{Role: theme.Warn, Text: off})
	}
	return tea.Batch(p.c.Post(ui.Close{Dialog: p}), p.found[p.at].Do())
}

// Update has nothing to hear.
func (p *Pick) Update(tea.Msg) tea.Cmd { return nil }

// View is the list.
func (p *Pick) View(w, h int) []string {
	p.text.Width = max(w-4, 1)
	out := []string{p.text.View(), ""}
	rows := max(h-2, 1)
	top := max(p.at-rows+1, 0)
	for i := top; i < len(p.found) && i < top+rows; i++ {
		item := p.found[i]
		note := item.Note
		if item.Off != "" {
			note = item.Off
		}
		wide := min(28, w)
		line := cell.Fit("  "+cell.CutMiddle(cell.Clean(item.Label), wide-4), wide)
		line = cell.Fit(line+cell.Clean(note), w)
		switch {
		case i == p.at:
			line = p.c.Paint(theme.Cursor, ">"+line[1:])
		case item.Off != "":
			line = p.c.Paint(theme.Dim, line)
		}
		out = append(out, line)
	}
	if len(p.found) == 0 {
		out = append(out, p.c.Paint(theme.Dim, "  "+p.c.T("pick.none")))
	}
	return out
}
