// Package tasks is what takes long: the list, and one task with its items.
package tasks

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/dialog"
	"ipxe-all-ready/tui/keys"
	"ipxe-all-ready/tui/screen/rows"
	"ipxe-all-ready/tui/store"
	"ipxe-all-ready/tui/table"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

// Screen is the list.
type Screen struct {
	c    *ui.Ctx
	list *rows.List[api.Task]
}

// New makes the list from what the store knows.
func New(c *ui.Ctx) *Screen {
	s := &Screen{c: c}
	s.list = rows.New(c, table.Options[api.Task]{
		ID:      func(t api.Task) string { return t.ID },
		Search:  func(t api.Task) string { return t.ID + " " + t.Kind + " " + t.State + " " + who(t) },
		Columns: columns(c),
	})
	s.list.Set(c.Store.Tasks)
	return s
}

func columns(c *ui.Ctx) []table.Column[api.Task] {
	return []table.Column[api.Task]{
		{Title: "col.started", Min: 14, Drop: 2, Text: func(t api.Task) string { return c.Time(t.StartedAt) }, Key: func(t api.Task) string { return t.StartedAt.UTC().Format("2006-01-02T15:04:05.000000") }},
		{Title: "col.kind", Min: 14, Grow: 1, Text: func(t api.Task) string { return c.T("kind." + t.Kind) }},
		{Title: "col.state", Min: 12, Text: func(t api.Task) string { return Word(c, t.State) }, Role: func(t api.Task) theme.Role { return Role(t.State) }},
		{Title: "col.progress", Min: 17, Grow: 1, Text: func(t api.Task) string { return Progress(c, t, 8) }},
		{Title: "col.workers", Min: 10, Grow: 2, Drop: 1, Text: who},
		{Title: "col.id", Name: true, Min: 10, Drop: 3, Text: func(t api.Task) string { return t.ID }},
	}
}

func who(t api.Task) string {
	var out []string
	for _, i := range t.Items {
		if len(out) == 4 {
			return strings.Join(out, ",") + fmt.Sprintf(" +%d", len(t.Items)-4)
		}
		out = append(out, i.WorkerID)
	}
	return strings.Join(out, ",")
}

// Word is a state with its symbol.
func Word(c *ui.Ctx, state string) string {
	symbol := map[string]string{api.TaskQueued: ". ", api.TaskRunning: "~ ", api.TaskSucceeded: "+ ", api.TaskFailed: "! ", api.TaskCancelled: "x ", api.TaskInterrupted: "! "}[state]
	return symbol + c.T("task."+state)
}

// Role is its colour.
func Role(state string) theme.Role {
	switch state {
	case api.TaskSucceeded:
		return theme.Good
	case api.TaskFailed, api.TaskInterrupted:
		return theme.Bad
	case api.TaskRunning:
		return theme.Accent
	case api.TaskCancelled:
		return theme.Warn
	}
	return theme.Dim
}

// Progress is a bar with what has ended of all.
func Progress(c *ui.Ctx, t api.Task, w int) string {
	ended := 0
	for _, i := range t.Items {
		if api.Ended(i.State) {
			ended++
		}
	}
	if len(t.Items) == 1 && t.Items[0].BytesTotal > 0 && !api.Ended(t.Items[0].State) {
		i := t.Items[0]
		return cell.Bar(i.BytesDone, i.BytesTotal, w) + fmt.Sprintf(" %d%%", i.BytesDone*100/i.BytesTotal)
	}
	return cell.Bar(int64(ended), int64(len(t.Items)), w) + fmt.Sprintf(" %d/%d", ended, len(t.Items))
}

// Info is what the frame shows of it.
func (s *Screen) Info() ui.Info {
	return ui.Info{Scopes: []keys.Scope{keys.Tasks, keys.Rows}, Title: s.c.T("tasks.title"), Tab: keys.Go5,
		Wants: []store.Part{store.Tasks}, Status: s.list.Status(), Pending: s.list.Pending()}
}

// Update takes in what changed.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(store.Changed); ok && m.Part == store.Tasks {
		s.list.Set(s.c.Store.Tasks)
	}
	s.list.Mouse(msg)
	return nil
}

// Key types the filter.
func (s *Screen) Key(k tea.KeyMsg) (tea.Cmd, bool) { return s.list.Key(k) }

// Disabled says why an action is off.
func (s *Screen) Disabled(a keys.Action) string {
	t, ok := s.list.Cursor()
	switch {
	case a == keys.Open && !ok, a == keys.Cancel && !ok:
		return s.c.T("off.norow")
	case a == keys.Cancel && api.Ended(t.State):
		return s.c.T("off.ended")
	}
	return ""
}

// Do carries out an action.
func (s *Screen) Do(a keys.Action) tea.Cmd {
	if s.list.Do(a) {
		return nil
	}
	t, _ := s.list.Cursor()
	switch a {
	case keys.Open:
		return Follow(s.c, t.ID)
	case keys.Cancel:
		return s.c.Post(ui.Open{Dialog: cancelForm(s.c, t)})
	case keys.Back:
		if !s.list.Back() {
			return s.c.Post(ui.Pop{})
		}
	}
	return nil
}

func cancelForm(c *ui.Ctx, t api.Task) ui.Dialog {
	cp, id := c.Client, t.ID
	open := 0
	for _, i := range t.Items {
		if !api.Ended(i.State) {
			open++
		}
	}
	return dialog.Confirm(c, c.T("cancel.title"), c.T("cancel.yes"), []string{c.T("cancel.intro", c.T("kind."+t.Kind), open)},
		dialog.Request{Label: c.T("call.cancel"),
			Do:   func(ctx context.Context) (any, error) { return cp.CancelTask(ctx, id) },
			Then: func(v any) tea.Cmd { return c.Post(c.Store.PutTask(v.(api.Task))) }})
}

// View is the table.
func (s *Screen) View(w, h int) []string {
	empty := s.c.T("tasks.empty")
	if s.c.Store.At(store.Tasks).IsZero() {
		empty = s.c.T("loading")
	}
	return s.list.Frame(w, h, empty)
}
