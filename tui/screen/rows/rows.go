// Package rows joins a table to its keys: moving, marking, sorting, filtering.
package rows

import (
	"strings"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/tui/keys"
	"ipxe-all-ready/tui/table"
	"ipxe-all-ready/tui/ui"
)

// List is a table with its filter line.
type List[R any] struct {
	*table.Table[R]
	c      *ui.Ctx
	input  textinput.Model
	typing bool
	before string // the filter that esc brings back
}

// New makes a list of an empty table.
func New[R any](c *ui.Ctx, o table.Options[R]) *List[R] {
	in := textinput.New()
	in.Prompt = "/"
	in.CharLimit = 200
	in.Cursor.SetMode(cursor.CursorStatic)
	o.Words = func(key string) string { return c.T(key) }
	return &List[R]{Table: table.New(o), c: c, input: in}
}

// Do carries out an action on rows or marks and reports whether it was one.
func (l *List[R]) Do(a keys.Action) bool {
	switch a {
	case keys.Up:
		l.Move(-1)
	case keys.Down:
		l.Move(1)
	case keys.PageUp:
		l.Move(-l.Page())
	case keys.PageDown:
		l.Move(l.Page())
	case keys.Home:
		l.Move(-l.Len())
	case keys.End:
		l.Move(l.Len())
	case keys.Filter:
		l.before, l.typing = l.Filtered(), true
		l.input.SetValue(l.before)
		l.input.CursorEnd()
		l.input.Focus()
	case keys.Sort:
		l.SortNext()
	case keys.SortBack:
		l.SortReverse()
	default:
		return l.mark(a)
	}
	return true
}

func (l *List[R]) mark(a keys.Action) bool {
	switch a {
	case keys.Mark:
		l.ToggleMark()
	case keys.RangeUp:
		l.Extend(-1)
	case keys.RangeDown:
		l.Extend(1)
	case keys.RangeHome:
		l.Extend(-l.Len())
	case keys.RangeEnd:
		l.Extend(l.Len())
	case keys.Range:
		l.ToggleRange()
	case keys.MarkAll:
		l.MarkShown()
	case keys.Invert:
		l.Table.Invert()
	case keys.Unmark:
		l.Table.Unmark()
	default:
		return false
	}
	return true
}

// Back undoes what esc undoes before it leaves a screen: a range, a filter.
func (l *List[R]) Back() bool {
	switch {
	case l.Ranging():
		l.ToggleRange()
	case l.Filtered() != "":
		l.Table.Filter("")
	default:
		return false
	}
	return true
}

// Key types into the filter while it is open.
func (l *List[R]) Key(k tea.KeyMsg) (tea.Cmd, bool) {
	if !l.typing {
		return nil, false
	}
	switch k.String() {
	case "enter":
		l.typing = false
	case "esc":
		l.typing = false
		l.Table.Filter(l.before)
	case "up", "down", "pgup", "pgdown":
		return nil, true
	default:
		l.input, _ = l.input.Update(k)
		l.Table.Filter(l.input.Value())
	}
	return nil, true
}

// Pending is the filter line while it is open.
func (l *List[R]) Pending() string {
	if !l.typing {
		return ""
	}
	l.input.Width = min(max(len(l.input.Value())+1, 8), 24) // marks stand beside it
	return l.input.View()
}

// Status says what is shown, marked and hidden.
func (l *List[R]) Status() string {
	var parts []string
	// Marks go first: a narrow window cuts the end.
	if all, hidden := l.Marks(); hidden > 0 {
		parts = append(parts, l.c.T("rows.marked.hidden", all, hidden))
	} else if all > 0 {
		parts = append(parts, l.c.T("rows.marked", all))
	}
	if name, fields := l.Unknown(); name != "" {
		parts = append(parts, "! "+l.c.T("rows.nofield", name, strings.Join(fields, " ")))
	}
	if l.Filtered() != "" {
		parts = append(parts, l.c.T("rows.filtered", l.Shown(), l.Len(), l.Filtered()))
	} else {
		parts = append(parts, l.c.T("rows.count", l.Len()))
	}
	if l.Ranging() {
		parts = append(parts, l.c.T("rows.range"))
	}
	return strings.Join(parts, " · ")
}

// Mouse moves the cursor by a click or the wheel.
func (l *List[R]) Mouse(msg tea.Msg) bool {
	switch m := msg.(type) {
	case ui.Press:
		return l.Click(m.Line, m.Extend)
	case ui.Wheel:
		l.Move(m.Lines)
		return true
	}
	return false
}

// Frame is the list as h lines; where no row is shown it says empty, or that
// the filter hides all.
func (l *List[R]) Frame(w, h int, empty string) []string {
	if l.Filtered() != "" && l.Len() > 0 {
		empty = l.c.T("rows.nomatch")
	}
	return l.View(l.c.Theme, w, h, empty)
}
