package tui

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/tui/dialog"
	"ipxe-all-ready/tui/i18n"
	"ipxe-all-ready/tui/keys"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

// keys takes what one read of the terminal brought: letters typed quickly come
// together, and each is a key of its own.
func (m *Model) keys(k tea.KeyMsg) tea.Cmd {
	if k.Type != tea.KeyRunes || k.Paste || len(k.Runes) < 2 {
		return m.key(k)
	}
	var cmds []tea.Cmd
	for _, r := range k.Runes {
		one := k
		one.Runes = []rune{r}
		cmds = append(cmds, m.key(one))
		for _, p := range m.c.Posted() { // a dialog that the first opens gets the second
			cmds = append(cmds, m.take(p))
		}
	}
	return tea.Batch(cmds...)
}

func (m *Model) key(k tea.KeyMsg) tea.Cmd {
	switch {
	case k.String() == "ctrl+c":
		return tea.Quit
	case m.tooSmall(): // nothing is done that cannot be seen
		return nil
	case k.String() == "ctrl+z":
		return tea.Suspend
	}
	// Leaving a screen that came up by itself does no harm, and ends it.
	if len(m.dialogs) == 0 && k.String() == "esc" {
		m.deaf = time.Time{}
	}
	if m.c.Now().Before(m.deaf) {
		return nil
	}
	if n := len(m.dialogs); n > 0 {
		return m.dialogs[n-1].Key(k)
	}
	if t, ok := m.screen().(ui.Typing); ok {
		if cmd, taken := t.Key(k); taken {
			return cmd
		}
	}
	if k.Paste { // no field is on: a text is not a row of commands
		return nil
	}
	m.notice = ui.Notice{}
	a, ok := keys.Find(k.String(), append(slices.Clone(m.screen().Info().Scopes), keys.Global)...)
	if !ok {
		m.notice = ui.Notice{Role: theme.Dim, Text: m.c.T("nothere", keys.Show(k.String()))}
		return nil
	}
	return m.act(a)
}

// act does what a key does, or says why not.
func (m *Model) act(a keys.Action) tea.Cmd {
	if off := m.screen().Disabled(a); off != "" {
		m.notice = ui.Notice{Role: theme.Warn, Text: m.c.T("disabled", m.c.T("key."+string(a)), off)}
		return nil
	}
	switch {
	case slices.Contains(tabs, a):
		return m.goTo(a, a == m.tab)
	case a == keys.Next:
		return m.goTo(m.next(1), false)
	case a == keys.Previous:
		return m.goTo(m.next(-1), false)
	case a == keys.Help:
		return m.c.Post(ui.Open{Dialog: m.help()})
	case a == keys.Palette:
		return m.c.Post(ui.Open{Dialog: m.palette()})
	case a == keys.Refresh:
		m.c.Store.Stale()
		return tea.Batch(m.due(), m.screen().Do(a))
	case a == keys.Language:
		m.c.Lang = i18n.Langs[(int(m.c.Lang)+1)%len(i18n.Langs)]
		m.notice = ui.Notice{Text: m.c.T("lang.now")}
	case a == keys.Mouse:
		return m.switchMouse()
	case a == keys.Quit:
		return m.quit()
	default:
		return m.screen().Do(a)
	}
	return nil
}

func (m *Model) switchMouse() tea.Cmd {
	m.mouse = !m.mouse
	if m.mouse {
		m.notice = ui.Notice{Text: m.c.T("mouse.on")}
		return tea.EnableMouseCellMotion
	}
	m.notice = ui.Notice{Text: m.c.T("mouse.off")}
	return tea.DisableMouse
}

// quit asks while a call is under way.
func (m *Model) quit() tea.Cmd {
	if _, any := m.c.Oldest(); !any {
		return tea.Quit
	}
	return m.c.Post(ui.Open{Dialog: dialog.Confirm(m.c, m.c.T("quit.title"), m.c.T("quit.yes"), []string{m.c.T("quit.intro")},
		dialog.Request{Do: func(context.Context) (any, error) { return nil, nil }, Then: func(any) tea.Cmd { return tea.Quit }})})
}

func (m *Model) mouseMsg(e tea.MouseMsg) tea.Cmd {
	if len(m.dialogs) > 0 || m.tooSmall() {
		return nil
	}
	switch {
	case e.Button == tea.MouseButtonWheelUp:
		return m.screen().Update(ui.Wheel{Lines: -3})
	case e.Button == tea.MouseButtonWheelDown:
		return m.screen().Update(ui.Wheel{Lines: 3})
	case e.Button == tea.MouseButtonLeft && e.Action == tea.MouseActionPress:
		return m.screen().Update(ui.Press{Line: e.Y - m.top, Extend: e.Shift})
	}
	return nil
}
