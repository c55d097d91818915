package tui

import (
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/tui/dialog"
	"ipxe-all-ready/tui/keys"
	"ipxe-all-ready/tui/screen/luns"
	"ipxe-all-ready/tui/screen/worker"
	"ipxe-all-ready/tui/ui"
)

// deafness is how long keys are ignored after something came up by itself.
const deafness = 300 * time.Millisecond

func (m *Model) navigate(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case ui.Push:
		s := m.stacks[m.tab]
		if msg.Replace && len(s) > 1 {
			s = s[:len(s)-1]
		}
		m.stacks[m.tab] = append(s, msg.Screen)
		if m.answering { // the next key may have been meant for what was there
			m.deaf = m.c.Now().Add(deafness)
		}
		return m.due()
	case ui.Pop:
		if s := m.stacks[m.tab]; len(s) > 1 {
			m.stacks[m.tab] = s[:len(s)-1]
		}
		return m.due()
	case ui.Go:
		return m.goTo(msg.To, msg.Root || msg.To == m.tab)
	case ui.Open:
		m.dialogs = append(m.dialogs, msg.Dialog)
		if msg.ByItself {
			m.deaf = m.c.Now().Add(deafness)
		}
	case ui.Close:
		m.dialogs = slices.DeleteFunc(m.dialogs, func(d ui.Dialog) bool { return d == msg.Dialog })
	case ui.Notice:
		m.notice = msg
	case ui.Act:
		return m.act(msg.Action)
	}
	return nil
}

func (m *Model) goTo(tab keys.Action, root bool) tea.Cmd {
	m.tab = tab
	if root {
		m.stacks[tab] = m.stacks[tab][:1]
	}
	return m.due()
}

// next is the number n further.
func (m *Model) next(n int) keys.Action {
	return tabs[(slices.Index(tabs, m.tab)+n+len(tabs))%len(tabs)]
}

func (m *Model) help() ui.Dialog {
	c, s := m.c, m.screen()
	scopes := append(slices.Clone(s.Info().Scopes), keys.Global)
	return dialog.NewReader(c, c.T("help.title")+": "+s.Info().Title, func() []string {
		var out []string
		for _, scope := range scopes {
			out = append(out, c.Paint(titleRole, c.T("scope."+string(scope))))
			for _, b := range keys.In(scope) {
				out = append(out, m.helpLine(s, b))
			}
			out = append(out, "")
		}
		return append(out, c.T("help.filter"), "", c.T("help.marks"))
	})
}

func (m *Model) helpLine(s ui.Screen, b keys.Binding) string {
	var names []string
	for _, k := range b.Keys {
		names = append(names, keys.Show(k))
	}
	line := "  " + m.c.Paint(keyRole, fit(strings.Join(names, " "), 18)) + " " + m.c.T("key."+string(b.Action))
	if off := s.Disabled(b.Action); off != "" {
		line += m.c.Paint(dimRole, " - "+m.c.T("help.off", off))
	}
	return line
}

// mostFound is how many workers the palette lists.
const mostFound = 50

// palette goes anywhere by name, and does what the screen's keys do.
func (m *Model) palette() ui.Dialog {
	c, s := m.c, m.screen()
	var items []dialog.Item
	for _, t := range tabs {
		items = append(items, dialog.Item{Label: c.T("key." + string(t)), Note: c.T("palette.screen"),
			Do: func() tea.Cmd { return c.Post(ui.Go{To: t, Root: true}) }})
	}
	for _, b := range keys.In(s.Info().Scopes[0]) {
		if !b.Footer {
			continue
		}
		items = append(items, dialog.Item{Label: c.T("key." + string(b.Action)), Note: keys.Show(b.Keys[0]), Off: s.Disabled(b.Action),
			Do: func() tea.Cmd { return c.Post(ui.Act{Action: b.Action}) }})
	}
	return dialog.NewPick(c, c.T("palette.title"), items, m.found)
}

// found is workers and nodes by what was typed.
func (m *Model) found(typed string) []dialog.Item {
	c := m.c
	var out []dialog.Item
	for _, a := range c.Store.Agents {
		if strings.Contains(a.ID, typed) {
			out = append(out, dialog.Item{Label: a.ID, Note: c.T("palette.node"), Do: func() tea.Cmd { return luns.Open(c, a.ID) }})
		}
	}
	var ids []string
	for id, w := range c.Store.Workers {
		if strings.Contains(id, typed) || strings.Contains(w.Hostname, typed) || strings.Contains(worker.MAC(w), typed) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, naturally)
	for _, id := range ids[:min(len(ids), mostFound)] {
		out = append(out, dialog.Item{Label: id, Note: c.T("palette.worker"), Do: func() tea.Cmd {
			sc, cmd := worker.New(c, id)
			return tea.Batch(c.Post(ui.Push{Screen: sc}), cmd)
		}})
	}
	return out
}
