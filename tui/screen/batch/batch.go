// Package batch is the sheet that gives many workers disks: of what, and on
// which node each.
package batch

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/tui/dialog"
	"ipxe-all-ready/tui/keys"
	"ipxe-all-ready/tui/screen/choice"
	"ipxe-all-ready/tui/screen/tasks"
	"ipxe-all-ready/tui/store"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

// Screen is the sheet.
type Screen struct {
	c     *ui.Ctx
	what  dialog.Values // os, type, size, name
	items []item

	onWorkers bool // the pane with the cursor
	row, top  int  // of the workers
	node      int
	on        map[string]bool // nodes switched on
	rows      int
}

// Open shows the sheet and asks first what the disks shall be.
func Open(c *ui.Ctx, ids []string) tea.Cmd {
	s := New(c, ids)
	return tea.Batch(c.Post(ui.Push{Screen: s}), c.Post(ui.Open{Dialog: s.form()}))
}

// New makes the sheet.
func New(c *ui.Ctx, ids []string) *Screen {
	s := &Screen{c: c, on: map[string]bool{}, what: dialog.Values{"os": "ubuntu", "type": "empty", "size": "40G"}}
	for _, id := range ids {
		s.items = append(s.items, item{worker: id})
	}
	s.look()
	return s
}

// look holds the plan against what is known now.
func (s *Screen) look() {
	s.items = slices.DeleteFunc(s.items, func(i item) bool { return s.c.Store.Workers[i.worker] == nil })
	marked(s.items, s.what["os"], s.c.Store.Workers)
	nodes := s.nodes()
	if len(nodes) == 1 {
		deal(s.items, nodes)
	}
	for i := range s.items {
		if !slices.Contains(nodes, s.items[i].agent) {
			s.items[i].agent = ""
		}
	}
	s.row = max(min(s.row, len(s.items)-1), 0)
	s.node = max(min(s.node, len(nodes)-1), 0)
}

func (s *Screen) nodes() []string {
	var out []string
	for _, a := range choice.DiskNodes(s.c) {
		out = append(out, a.ID)
	}
	return out
}

// switched is the nodes that are on, in the order of the list.
func (s *Screen) switched() []string {
	return slices.DeleteFunc(s.nodes(), func(id string) bool { return !s.on[id] })
}

// form asks what the disks shall be.
func (s *Screen) form() ui.Dialog {
	c := s.c
	fields := append([]dialog.Field{{Name: "os", Label: c.T("disk.os"), Kind: dialog.Choice, Options: choice.Of(choice.Systems...)}},
		choice.Source(c, "", true)...)
	for i := range fields {
		if v := s.what[fields[i].Name]; v != "" {
			fields[i].Value = v
		}
	}
	return dialog.NewForm(c, dialog.Options{
		Title: c.T("batch.what", len(s.items)), Fields: fields, Verb: c.T("batch.what.verb"),
		Check: func(v dialog.Values) (string, string) { return choice.CheckSource(c, v) },
		Submit: func(v dialog.Values) dialog.Request {
			return dialog.Request{Then: func(any) tea.Cmd {
				s.what = v
				s.look()
				return nil
			}}
		},
	})
}

// Info is what the frame shows of it.
func (s *Screen) Info() ui.Info {
	return ui.Info{Scopes: []keys.Scope{keys.Batch}, Title: s.c.T("batch.title", len(s.items)), Tab: keys.Go2,
		Wants: []store.Part{store.Workers, store.Agents, store.Masters}}
}

// Update holds the plan against what changed.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case store.Changed:
		s.look()
	case ui.Wheel:
		s.move(m.Lines)
	}
	return nil
}

// Disabled says why an action is off.
func (s *Screen) Disabled(a keys.Action) string {
	switch {
	case len(s.nodes()) == 0 && slices.Contains([]keys.Action{keys.TakeOver, keys.Deal, keys.Switch, keys.Left, keys.Right, keys.Start}, a):
		return s.nobody()
	case a == keys.Deal && len(s.switched()) < 2:
		return s.c.T("batch.switchtwo")
	case (a == keys.Left || a == keys.Right) && !s.onWorkers:
		return s.c.T("batch.onworkers")
	case a == keys.Switch && s.onWorkers:
		return s.c.T("batch.onnodes")
	case a == keys.Start:
		return s.startOff()
	}
	return ""
}

// nobody says why there is no node to choose.
func (s *Screen) nobody() string {
	if s.c.Store.At(store.Agents).IsZero() && len(s.c.Store.Agents) == 0 {
		return s.c.T("loading")
	}
	return s.c.T("batch.nonode")
}

func (s *Screen) startOff() string {
	open, work := 0, 0
	for _, i := range s.items {
		switch {
		case i.skip:
		case i.agent == "":
			open++
		default:
			work++
			if s.what["type"] == "master" && !choice.HasMaster(s.c, i.agent, s.what["name"]) {
				return s.c.T("batch.nomaster", i.agent, s.what["name"])
			}
		}
	}
	if open > 0 {
		return s.c.T("batch.open", open)
	}
	if work == 0 {
		return s.c.T("batch.nothing", s.what["os"])
	}
	return ""
}

// Do carries out an action.
func (s *Screen) Do(a keys.Action) tea.Cmd {
	switch a {
	case keys.Back:
		return s.c.Post(ui.Pop{})
	case keys.Settings:
		return s.c.Post(ui.Open{Dialog: s.form()})
	case keys.Pane:
		s.onWorkers = !s.onWorkers
	case keys.Up:
		s.move(-1)
	case keys.Down:
		s.move(1)
	case keys.PageUp:
		s.move(-max(s.rows, 1))
	case keys.PageDown:
		s.move(max(s.rows, 1))
	case keys.Start:
		return s.c.Post(ui.Open{Dialog: s.confirm()})
	default:
		s.assign(a)
	}
	return nil
}

func (s *Screen) assign(a keys.Action) {
	nodes := s.nodes()
	switch a {
	case keys.Switch:
		s.on[nodes[s.node]] = !s.on[nodes[s.node]]
		s.move(1)
	case keys.Deal:
		deal(s.items, s.switched())
	case keys.TakeOver:
		deal(s.items, nodes[s.node:s.node+1])
	case keys.Left, keys.Right:
		if s.row < len(s.items) && !s.items[s.row].skip {
			shift(&s.items[s.row], nodes, map[bool]int{true: 1, false: -1}[a == keys.Right])
		}
	}
}

func (s *Screen) move(n int) {
	if s.onWorkers {
		s.row = max(min(s.row+n, len(s.items)-1), 0)
		return
	}
	s.node = max(min(s.node+n, len(s.nodes())-1), 0)
}

// ill names those nodes that would get disks and do not answer as they should.
func (s *Screen) ill(disks map[string]int) []string {
	var out []string
	for _, a := range choice.DiskNodes(s.c) {
		if disks[a.ID] > 0 && a.Health != "ok" && a.Health != "" {
			out = append(out, s.c.Paint(theme.Bad, "! "+s.c.T("batch.ill", a.ID, s.c.T("health."+a.Health), disks[a.ID])))
		}
	}
	return out
}

// confirm shows in numbers what will be done, and does it.
func (s *Screen) confirm() ui.Dialog {
	c, cp := s.c, s.c.Client
	in := api.CreateDisks{Type: s.what["type"], OS: s.what["os"], Targets: targets(s.items, s.nodes()[0])}
	in.Name, in.Size = choice.Made(s.what)
	intro := []string{s.summary()}
	n := counts(s.items)
	for _, id := range s.nodes() {
		if n[id] > 0 {
			intro = append(intro, "  "+id+": "+c.T("batch.gets", n[id]))
		}
	}
	intro = append(intro, c.Paint(theme.Dim, c.T("batch.default", in.OS)))
	answer := dialog.Field{Name: "answer", Label: c.T("answer"), Kind: dialog.Choice,
		Options: []dialog.Option{{Value: "yes", Label: c.T("batch.yes")}, {Value: "no", Label: c.T("answer.no")}}}
	if ill := s.ill(n); len(ill) > 0 {
		intro = append(ill, intro...)
		answer = dialog.Answer(c, c.T("batch.yes"))
	}
	return dialog.NewForm(c, dialog.Options{
		Title: c.T("batch.confirm"), Intro: func(dialog.Values) []string { return intro }, Verb: c.T("batch.start"),
		Fields:  []dialog.Field{answer},
		Decline: dialog.Declined,
		Submit: func(dialog.Values) dialog.Request {
			return dialog.Request{Label: c.T("call.batch", len(in.Targets)),
				Do:   func(ctx context.Context) (any, error) { return cp.StartDisks(ctx, in) },
				Then: func(v any) tea.Cmd { return tasks.FollowInstead(c, v.(string)) }}
		},
	})
}
