// Package agents is the list of storage nodes.
package agents

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/dialog"
	"ipxe-all-ready/tui/keys"
	"ipxe-all-ready/tui/screen/luns"
	"ipxe-all-ready/tui/screen/rows"
	"ipxe-all-ready/tui/store"
	"ipxe-all-ready/tui/table"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

// Screen is the list.
type Screen struct {
	c    *ui.Ctx
	list *rows.List[api.Agent]
}

// New makes the list from what the store knows.
func New(c *ui.Ctx) *Screen {
	s := &Screen{c: c}
	s.list = rows.New(c, table.Options[api.Agent]{
		ID:   func(a api.Agent) string { return a.ID },
		Base: func(a api.Agent) string { return cell.NaturalKey(a.ID) },
		Search: func(a api.Agent) string {
			return strings.Join([]string{a.ID, a.BaseURL, a.ISCSIServer, a.Health, strings.Join(a.Tags, " ")}, " ")
		},
		Columns: columns(c),
	})
	s.list.Set(c.Store.Agents)
	return s
}

func columns(c *ui.Ctx) []table.Column[api.Agent] {
	of := func(a api.Agent, what func(*api.Capabilities) string) string {
		if a.Capabilities == nil {
			return "-"
		}
		return what(a.Capabilities)
	}
	return []table.Column[api.Agent]{
		{Title: "col.id", Name: true, Min: 10, Grow: 2, Text: func(a api.Agent) string { return a.ID }},
		{Title: "col.health", Min: 14, Text: func(a api.Agent) string { return Health(c, a) }, Role: HealthRole},
		{Title: "col.role", Min: 8, Drop: 5, Text: func(a api.Agent) string { return role(a.Role) }},
		{Title: "col.free", Min: 10, Right: true, Text: func(a api.Agent) string {
			return of(a, func(x *api.Capabilities) string { return cell.Bytes(x.FreeBytes) })
		}, Key: func(a api.Agent) string {
			return of(a, func(x *api.Capabilities) string { return fmt.Sprintf("%020d", x.FreeBytes) })
		}},
		{Title: "LUN", Min: 4, Right: true, Drop: 3, Text: func(a api.Agent) string {
			return of(a, func(x *api.Capabilities) string { return fmt.Sprint(x.Targets) })
		}},
		{Title: "col.backend", Min: 8, Drop: 4, Text: func(a api.Agent) string { return of(a, func(x *api.Capabilities) string { return x.Backend }) }},
		{Title: "col.fs", Min: 6, Drop: 6, Text: func(a api.Agent) string { return of(a, func(x *api.Capabilities) string { return x.FSType }) }},
		{Title: "col.clone", Min: 12, Grow: 2, Drop: 7, Text: func(a api.Agent) string { return of(a, func(x *api.Capabilities) string { return x.Clone }) }},
		{Title: "col.url", Name: true, Min: 18, Grow: 3, Drop: 2, Text: func(a api.Agent) string {
			if a.Error != "" {
				return a.BaseURL + " · " + a.Error
			}
			return a.BaseURL
		}},
	}
}

// Health is how a node is, with its symbol.
func Health(c *ui.Ctx, a api.Agent) string {
	switch {
	case !a.Enabled:
		return "x " + c.T("health.disabled")
	case a.Health == "ok":
		return "+ " + c.T("health.ok")
	case a.Health == "":
		return "? " + c.T("health.unknown")
	}
	return "! " + c.T("health."+a.Health)
}

// HealthRole is its colour.
func HealthRole(a api.Agent) theme.Role {
	switch {
	case !a.Enabled, a.Health == "":
		return theme.Dim
	case a.Health == "ok":
		return theme.Good
	}
	return theme.Bad
}

func role(r api.Role) string {
	switch {
	case r.Disk && r.CD:
		return "disk,cd"
	case r.Disk:
		return "disk"
	case r.CD:
		return "cd"
	}
	return "-"
}

// Info is what the frame shows of it.
func (s *Screen) Info() ui.Info {
	return ui.Info{Scopes: []keys.Scope{keys.Agents, keys.Rows}, Title: s.c.T("agents.title"), Tab: keys.Go3,
		Wants: []store.Part{store.Agents, store.Workers, store.Masters}, Status: s.list.Status(), Pending: s.list.Pending()}
}

// Update takes in what changed.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(store.Changed); ok && m.Part == store.Agents {
		s.list.Set(s.c.Store.Agents)
	}
	s.list.Mouse(msg)
	return nil
}

// Key types the filter.
func (s *Screen) Key(k tea.KeyMsg) (tea.Cmd, bool) { return s.list.Key(k) }

// Disabled says why an action is off.
func (s *Screen) Disabled(a keys.Action) string {
	on, ok := s.list.Cursor()
	switch a {
	case keys.Open, keys.Edit, keys.Enable, keys.Delete:
		if !ok {
			return s.c.T("off.norow")
		}
	}
	if n := uses(s.c, on.ID); a == keys.Delete && n > 0 {
		return s.c.T("off.used", on.ID, n)
	}
	return ""
}

// uses is how many workers have something on a node.
func uses(c *ui.Ctx, id string) int {
	n := 0
	for _, w := range c.Store.Workers {
		used := w.CD != nil && w.CD.Agent == id
		for _, d := range w.Disks {
			used = used || d.Agent == id
		}
		if used {
			n++
		}
	}
	return n
}

// Do carries out an action.
func (s *Screen) Do(a keys.Action) tea.Cmd {
	if s.list.Do(a) {
		return nil
	}
	on, _ := s.list.Cursor()
	switch a {
	case keys.Open:
		return luns.Open(s.c, on.ID)
	case keys.Register:
		return s.c.Post(ui.Open{Dialog: s.probe()})
	case keys.Edit:
		return s.c.Post(ui.Open{Dialog: s.edit(on)})
	case keys.Enable:
		return s.c.Post(ui.Open{Dialog: s.enable(on)})
	case keys.Delete:
		return s.c.Post(ui.Open{Dialog: s.remove(on)})
	case keys.Back:
		if !s.list.Back() {
			return s.c.Post(ui.Pop{})
		}
	}
	return nil
}

func (s *Screen) reload(text string) tea.Cmd {
	return tea.Batch(s.c.Post(ui.Notice{Role: theme.Good, Text: text}), s.c.Store.Load(store.Agents), s.c.Store.Load(store.Health), s.c.Store.Load(store.Masters))
}

// entry is a node as it is written back.
func entry(a api.Agent) api.PutAgent {
	enabled := a.Enabled
	return api.PutAgent{ID: a.ID, BaseURL: a.BaseURL, ISCSIServer: a.ISCSIServer, Role: a.Role, Tags: a.Tags, Enabled: &enabled}
}

func (s *Screen) enable(a api.Agent) ui.Dialog {
	c, cp := s.c, s.c.Client
	in := entry(a)
	on := !a.Enabled
	in.Enabled = &on
	intro, yes, done := c.T("disable.intro", uses(c, a.ID)), c.T("disable.yes"), c.T("disable.done", a.ID)
	if on {
		intro, yes, done = c.T("enable.intro"), c.T("enable.yes"), c.T("enable.done", a.ID)
	}
	return dialog.Confirm(c, yes+" "+a.ID, yes, []string{intro}, dialog.Request{Label: c.T("call.agent", a.ID),
		Do:   func(ctx context.Context) (any, error) { return cp.UpdateAgent(ctx, in) },
		Then: func(any) tea.Cmd { return s.reload(done) }})
}

func (s *Screen) remove(a api.Agent) ui.Dialog {
	c, cp := s.c, s.c.Client
	return dialog.Confirm(c, c.T("remove.title", a.ID), c.T("remove.yes"), []string{c.T("remove.intro", a.BaseURL)},
		dialog.Request{Label: c.T("call.agent", a.ID),
			Do:   func(ctx context.Context) (any, error) { return nil, cp.DeleteAgent(ctx, a.ID) },
			Then: func(any) tea.Cmd { return s.reload(c.T("remove.done", a.ID)) }})
}

// View is the table.
func (s *Screen) View(w, h int) []string {
	empty := s.c.T("agents.empty")
	if s.c.Store.At(store.Agents).IsZero() {
		empty = s.c.T("loading")
	}
	return s.list.Frame(w, h, empty)
}
