// Package reconcile is where ledger, bindings and nodes do not agree.
package reconcile

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/tui/dialog"
	"ipxe-all-ready/tui/keys"
	"ipxe-all-ready/tui/screen/rows"
	"ipxe-all-ready/tui/store"
	"ipxe-all-ready/tui/table"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

// Screen is the findings.
type Screen struct {
	c    *ui.Ctx
	list *rows.List[api.Finding]
}

// New makes the list from what the store knows.
func New(c *ui.Ctx) *Screen {
	s := &Screen{c: c}
	s.list = rows.New(c, table.Options[api.Finding]{
		ID:     func(f api.Finding) string { return f.ID },
		Search: func(f api.Finding) string { return f.Kind + " " + f.WorkerID + " " + f.Agent + " " + f.Detail },
		Columns: []table.Column[api.Finding]{
			{Title: "col.finding", Min: 18, Grow: 1, Text: func(f api.Finding) string { return "! " + f.Kind }, Role: func(api.Finding) theme.Role { return theme.Warn }},
			{Title: "col.worker", Name: true, Min: 10, Grow: 1, Drop: 1, Text: func(f api.Finding) string { return dash(f.WorkerID) }},
			{Title: "col.node", Name: true, Min: 8, Drop: 2, Text: func(f api.Finding) string { return dash(f.Agent) }},
			{Title: "col.fix", Min: 15, Text: func(f api.Finding) string { return fix(c, f) }},
			{Title: "col.detail", Min: 16, Grow: 4, Drop: 3, Text: func(f api.Finding) string { return f.Detail }},
		},
	})
	s.list.Set(c.Store.Findings)
	return s
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func fix(c *ui.Ctx, f api.Finding) string {
	if f.Fix == "" {
		return c.T("fix.person")
	}
	return c.T("fix." + f.Fix)
}

// Info is what the frame shows of it.
func (s *Screen) Info() ui.Info {
	return ui.Info{Scopes: []keys.Scope{keys.Reconcile, keys.Marks, keys.Rows}, Title: s.c.T("reconcile.title"), Tab: keys.Go6,
		Wants: []store.Part{store.Findings}, Status: s.list.Status(), Pending: s.list.Pending(), Marked: s.list.Marking()}
}

// Update takes in what changed.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(store.Changed); ok && m.Part == store.Findings {
		s.list.Set(s.c.Store.Findings)
	}
	s.list.Mouse(msg)
	return nil
}

// Key types the filter.
func (s *Screen) Key(k tea.KeyMsg) (tea.Cmd, bool) { return s.list.Key(k) }

// fixable is what of the chosen findings can be mended.
func (s *Screen) fixable() (out []api.Finding) {
	for _, f := range s.list.Chosen() {
		if f.Fix != "" {
			out = append(out, f)
		}
	}
	return out
}

// Disabled says why an action is off.
func (s *Screen) Disabled(a keys.Action) string {
	switch {
	case a == keys.Open && s.list.Shown() == 0:
		return s.c.T("off.norow")
	case a == keys.Fix && len(s.fixable()) == 0:
		return s.c.T("off.nofix")
	}
	return ""
}

// Do carries out an action.
func (s *Screen) Do(a keys.Action) tea.Cmd {
	if s.list.Do(a) {
		return nil
	}
	switch a {
	case keys.Open:
		f, _ := s.list.Cursor()
		return s.c.Post(ui.Open{Dialog: dialog.NewReader(s.c, f.Kind, func() []string {
			return []string{f.Detail, "", s.c.T("col.worker") + ": " + dash(f.WorkerID), s.c.T("col.node") + ": " + dash(f.Agent), s.c.T("col.fix") + ": " + fix(s.c, f), "id: " + f.ID}
		})})
	case keys.Fix:
		return s.c.Post(ui.Open{Dialog: s.form(s.fixable())})
	case keys.Back:
		if !s.list.Back() {
			return s.c.Post(ui.Pop{})
		}
	}
	return nil
}

func (s *Screen) form(chosen []api.Finding) ui.Dialog {
	c, cp := s.c, s.c.Client
	intro := []string{c.T("fix.intro", len(chosen))}
	var ids []string
	for i, f := range chosen {
		ids = append(ids, f.ID)
		if i < 8 {
			intro = append(intro, fmt.Sprintf("  %s: %s", fix(c, f), f.Detail))
		}
	}
	if len(chosen) > 8 {
		intro = append(intro, "  "+c.T("more", len(chosen)-8))
	}
	return dialog.Confirm(c, c.T("fix.title"), c.T("fix.yes", len(chosen)), intro, dialog.Request{Label: c.T("call.fix", len(ids)),
		Do: func(ctx context.Context) (any, error) { return cp.FixFindings(ctx, ids) },
		Then: func(v any) tea.Cmd {
			r := v.(api.FindingsFixed)
			load := c.Store.Load(store.Findings)
			if len(r.Failed) == 0 {
				return tea.Batch(load, c.Post(ui.Notice{Role: theme.Good, Text: c.T("fix.done", len(r.Fixed))}))
			}
			lines := []string{c.T("fix.counts", len(r.Fixed), len(r.Failed)), ""}
			for _, f := range r.Failed {
				lines = append(lines, c.Paint(theme.Bad, "! "+f.ID+": "+f.Error))
			}
			return tea.Batch(load, c.Post(ui.Open{ByItself: true, Dialog: dialog.NewReader(c, c.T("fix.title"), func() []string { return lines })}))
		}})
}

// View is the table.
func (s *Screen) View(w, h int) []string {
	empty := s.c.T("reconcile.empty")
	if s.c.Store.At(store.Findings).IsZero() {
		empty = s.c.T("loading")
		if err := s.c.Store.Err(store.Findings); err != nil {
			empty = "! " + s.c.Words(err)
		}
	}
	return s.list.Frame(w, h, empty)
}
