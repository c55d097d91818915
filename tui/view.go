package tui

import (
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/keys"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

const (
	leastWidth, leastHeight = 60, 15
	boxWidth                = 78 // of a dialog where there is room
	spinAfter               = 150 * time.Millisecond

	titleRole, keyRole, dimRole = theme.Title, theme.Key, theme.Dim
)

func fit(s string, w int) string { return cell.Fit(s, w) }

func naturally(a, b string) int { return strings.Compare(cell.NaturalKey(a), cell.NaturalKey(b)) }

func (m *Model) tooSmall() bool { return m.width < leastWidth || m.height < leastHeight }

// small is the one line of a window that is too small, in words that fit.
func (m *Model) small() string {
	if text := m.c.T("small"); cell.Width(text) <= m.width {
		return text
	}
	return m.c.T("small.narrow")
}

// View is exactly as many lines as the window has, none wider than it.
func (m *Model) View() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	if m.tooSmall() {
		return strings.Join(cell.Block([]string{m.small()}, m.width, m.height), "\n")
	}
	info := m.screen().Info()
	head := []string{m.header(), m.breadcrumb()}
	head = append(head, m.why()...)
	foot := append(m.noticeLines(), m.status(info))
	foot = append(foot, m.footer(info)...)
	m.top = len(head)
	body := m.screen().View(m.width, max(m.height-len(head)-len(foot), 1))
	if len(m.dialogs) > 0 {
		body = m.overlay(body, m.dialogs[len(m.dialogs)-1])
	}
	lines := append(append(head, body...), foot...)[:m.height]
	for i := range lines {
		lines[i] = m.c.Keep(lines[i])
	}
	return strings.Join(lines, "\n")
}

func (m *Model) header() string {
	text, role := m.said()
	text = cell.Cut(text, m.width*2/3)
	left := cell.Fit(" ipxe-all-ready · "+m.url, m.width-cell.Width(text)-2)
	return m.c.Paint(theme.Title, left) + " " + m.c.Paint(role, text) + " "
}

// breadcrumb is the screens behind the numbers, with the way to the one on top;
// where they do not fit, the others are their numbers alone.
func (m *Model) breadcrumb() string {
	for _, names := range []bool{true, false} {
		if text := m.tabBar(names); !names || cell.Width(text) <= m.width {
			return cell.Fit(text, m.width)
		}
	}
	return ""
}

func (m *Model) tabBar(names bool) string {
	var b strings.Builder
	for i, t := range tabs {
		text := string(rune('1'+i)) + " " + m.stacks[t][0].Info().Title
		if t != m.tab {
			if !names {
				text = text[:1]
			}
			b.WriteString(m.c.Paint(theme.Dim, " "+text+" "))
			continue
		}
		for _, s := range m.stacks[t][1:] {
			text += " > " + s.Info().Title
		}
		b.WriteString(m.c.Paint(theme.Accent, "["+text+"]"))
	}
	return b.String()
}

func (m *Model) noticeLines() []string {
	if m.notice.Text == "" {
		return nil
	}
	var out []string
	for _, l := range cell.Wrap(cell.Clean(m.notice.Text), m.width-3) {
		if len(out) < 3 {
			mark := "  " // one symbol a notice: a second would begin another
			if len(out) == 0 {
				mark = symbol(m.notice.Role) + " "
			}
			out = append(out, m.c.Paint(m.notice.Role, cell.Fit(" "+mark+l, m.width)))
		}
	}
	return out
}

func symbol(r theme.Role) string {
	switch r {
	case theme.Good:
		return "+"
	case theme.Warn, theme.Bad:
		return "!"
	}
	return "-"
}

// working is the spinner with what it stands for.
func (m *Model) working() string {
	r, any := m.c.Oldest()
	if !any && m.c.Store.Loading(spinAfter) {
		return string(`|/-\`[m.turn%4]) + " " + m.c.T("reading")
	}
	if !any || m.c.Now().Sub(r.Since) < spinAfter {
		return ""
	}
	return string(`|/-\`[m.turn%4]) + " " + m.c.T("spin", r.Label, cell.Age(m.c.Now().Sub(r.Since)))
}

func (m *Model) status(info ui.Info) string {
	if info.Pending != "" {
		return cell.Fit(" "+strings.TrimRight(info.Pending, " ")+"  "+m.c.Paint(theme.Dim, cell.Clean(info.Status)), m.width)
	}
	right := m.working()
	right = cell.Cut(right, m.width/2)
	left := cell.Fit(" "+cell.Clean(info.Status), m.width-cell.Width(right)-1)
	return m.c.Paint(theme.Dim, left) + m.c.Paint(theme.Accent, right) + " "
}

// footer is the keys that fit, those that are off dimmed.
func (m *Model) footer(info ui.Info) []string {
	lines := 1
	if m.height >= 20 {
		lines = 2
	}
	out := make([]string, 0, lines)
	var b strings.Builder
	used := 0
	if info.Pending != "" {
		return cell.Block([]string{" " + m.c.Paint(theme.Dim, m.c.T("rows.typing"))}, m.width, lines)
	}
	for _, b2 := range m.shownKeys(info) {
		key, what := keys.Show(b2.Keys[0]), m.c.T("key."+string(b2.Action))
		w := cell.Width(key) + cell.Width(what) + 3
		if used+w > m.width {
			out = append(out, cell.Fit(b.String(), m.width))
			b.Reset()
			used = 0
			if len(out) == lines {
				break
			}
		}
		used += w
		if len(m.dialogs) == 0 && m.screen().Disabled(b2.Action) != "" {
			b.WriteString(m.c.Paint(theme.Dim, " ("+key+" "+what+")"))
			used++
			continue
		}
		b.WriteString(" " + m.c.Paint(theme.Key, key) + " " + what + " ")
	}
	if len(out) < lines {
		out = append(out, cell.Fit(b.String(), m.width))
	}
	return cell.Block(out, m.width, lines)
}

// shownKeys is help, what the screen does, then what works everywhere.
func (m *Model) shownKeys(info ui.Info) []keys.Binding {
	var out []keys.Binding
	add := func(bs []keys.Binding) {
		for _, b := range bs {
			if (b.Footer || b.Action == keys.Unmark && info.Marked) && !slices.ContainsFunc(out, func(x keys.Binding) bool { return x.Keys[0] == b.Keys[0] }) {
				out = append(out, b)
			}
		}
	}
	if n := len(m.dialogs); n > 0 {
		add(keys.In(m.dialogs[n-1].Scope()))
		return out
	}
	add(keys.In(keys.Global)[:1])
	for _, s := range info.Scopes {
		add(keys.In(s))
	}
	add(keys.In(keys.Global))
	return out
}

// overlay puts a dialog's box in the middle of body.
func (m *Model) overlay(body []string, d ui.Dialog) []string {
	w := min(m.width-4, boxWidth)
	content := d.View(w-4, max(len(body)-2, 1))
	content = content[:min(len(content), max(len(body)-2, 1))]
	box := m.box(d.Title(), content, w)
	x, y := (m.width-w)/2, max((len(body)-len(box))/2, 0)
	out := slices.Clone(body)
	for i, l := range box {
		if y+i >= len(out) {
			break
		}
		base := ansi.Strip(out[y+i]) // its colours would run into the box
		left := cell.Fit(ansi.Truncate(base, x, ""), x)
		right := ansi.TruncateLeft(base, x+w, "")
		out[y+i] = m.c.Paint(theme.Dim, left) + l + m.c.Paint(theme.Dim, cell.Fit(right, m.width-x-w))
	}
	return out
}

func (m *Model) box(title string, content []string, w int) []string {
	title = cell.Cut(" "+cell.Clean(title)+" ", w-4)
	edge := func(s string) string { return m.c.Paint(theme.Border, s) }
	out := []string{edge("┌─") + m.c.Paint(theme.Title, title) + edge(strings.Repeat("─", w-3-cell.Width(title))+"┐")}
	for _, l := range content {
		out = append(out, edge("│")+" "+cell.Fit(l, w-4)+" "+edge("│"))
	}
	return append(out, edge("└"+strings.Repeat("─", w-2)+"┘"))
}
