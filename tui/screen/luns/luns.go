// Package luns is what one storage node exports.
package luns

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/keys"
	"ipxe-all-ready/tui/screen/rows"
	"ipxe-all-ready/tui/screen/worker"
	"ipxe-all-ready/tui/store"
	"ipxe-all-ready/tui/table"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

// Screen is the list of one node's targets.
type Screen struct {
	c      *ui.Ctx
	agent  string
	load   int
	asking bool
	again  bool // something changed while an answer was on its way
	known  bool
	err    error
	owner  map[string]string // worker by IQN
	list   *rows.List[api.Target]
}

type answer struct {
	agent string
	load  int
	rows  []api.Target
	err   error
}

// Open shows a node's targets.
func Open(c *ui.Ctx, agent string) tea.Cmd {
	s := &Screen{c: c, agent: agent}
	s.list = rows.New(c, table.Options[api.Target]{
		ID:      func(t api.Target) string { return t.IQN },
		Base:    func(t api.Target) string { return cell.NaturalKey(t.IQN) },
		Search:  func(t api.Target) string { return t.IQN + " " + backing(t) + " " + s.owner[t.IQN] + " " + sessions(t) },
		Columns: s.columns(),
	})
	s.owners()
	c.Post(ui.Push{Screen: s})
	return s.ask()
}

func (s *Screen) columns() []table.Column[api.Target] {
	c := s.c
	return []table.Column[api.Target]{
		{Title: "IQN", Name: true, Min: 24, Grow: 3, Text: func(t api.Target) string { return t.IQN }},
		{Title: "col.worker", Name: true, Min: 10, Grow: 1, Text: func(t api.Target) string {
			if o := s.owner[t.IQN]; o != "" {
				return o
			}
			return c.T("luns.noworker")
		}},
		{Title: "col.size", Min: 9, Right: true, Drop: 2, Text: func(t api.Target) string { return cell.Bytes(size(t)) },
			Key: func(t api.Target) string { return fmt.Sprintf("%020d", size(t)) }},
		{Title: "col.live", Name: true, Min: 6, Drop: 1, Grow: 1, Text: sessions, Role: func(api.Target) theme.Role { return theme.Good }},
		{Title: "col.backing", Name: true, Min: 20, Grow: 2, Drop: 3, Text: backing},
	}
}

func backing(t api.Target) string {
	for _, l := range t.LUNs {
		if l.Backing != nil {
			return *l.Backing
		}
	}
	return "-"
}

func size(t api.Target) (n int64) {
	for _, l := range t.LUNs {
		if l.Backing != nil {
			n += l.Size
		}
	}
	return n
}

func sessions(t api.Target) string {
	var who []string
	for _, x := range t.Sessions {
		who = append(who, x.Initiator)
	}
	if t.Sessions == nil {
		return "?"
	}
	if len(who) == 0 {
		return "-"
	}
	return strings.Join(who, ",")
}

func (s *Screen) ask() tea.Cmd {
	s.load++
	s.asking, s.again = true, false
	cp, agent, load := s.c.Client, s.agent, s.load
	return func() tea.Msg {
		t, err := cp.Targets(context.Background(), agent)
		return answer{agent, load, t, err}
	}
}

func (s *Screen) owners() {
	s.owner = map[string]string{}
	for id, w := range s.c.Store.Workers {
		for _, d := range w.Disks {
			s.owner[d.IQN] = id
		}
		if w.CD != nil {
			s.owner[w.CD.IQN] = id
		}
	}
}

// Info is what the frame shows of it.
func (s *Screen) Info() ui.Info {
	return ui.Info{Scopes: []keys.Scope{keys.LUNs, keys.Rows}, Title: s.c.T("luns.title", s.agent), Tab: keys.Go3,
		Wants: []store.Part{store.Workers, store.Agents, store.Masters}, Status: s.list.Status(), Pending: s.list.Pending()}
}

// Update takes in what changed.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case answer:
		if m.agent != s.agent || m.load != s.load {
			return nil
		}
		s.asking, s.err = false, m.err
		if m.err == nil {
			s.known = true
			s.owners()
			s.list.Set(m.rows)
		}
		if s.again {
			return s.ask()
		}
	case store.Changed:
		if m.Part == store.Workers {
			s.owners()
			if s.asking {
				s.again = true
				return nil
			}
			return s.ask()
		}
	default:
		s.list.Mouse(msg)
	}
	return nil
}

// Key types the filter.
func (s *Screen) Key(k tea.KeyMsg) (tea.Cmd, bool) { return s.list.Key(k) }

// Disabled says why an action is off.
func (s *Screen) Disabled(a keys.Action) string {
	node, ok := s.c.Store.Agent(s.agent)
	_, on := s.list.Cursor()
	t, _ := s.list.Cursor()
	switch {
	case (a == keys.Delete || a == keys.Open) && !on:
		return s.c.T("off.norow")
	case a == keys.Open && s.owner[t.IQN] == "":
		return s.c.T("off.noowner")
	case a == keys.NewDisk && ok && !node.Role.Disk:
		return s.c.T("off.norole", s.agent, "disk")
	case a == keys.AttachCD && ok && !node.Role.CD:
		return s.c.T("off.norole", s.agent, "cd")
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
		sc, cmd := worker.New(s.c, s.owner[t.IQN])
		s.c.Post(ui.Push{Screen: sc})
		return cmd
	case keys.NewDisk:
		return s.c.Post(ui.Open{Dialog: s.diskForm()})
	case keys.AttachCD:
		return s.c.Post(ui.Open{Dialog: s.cdForm()})
	case keys.Scan:
		return s.c.Post(ui.Open{Dialog: s.scanForm()})
	case keys.Delete:
		return s.c.Post(ui.Open{Dialog: s.deleteForm(t)})
	case keys.Refresh:
		return s.ask()
	case keys.Back:
		if !s.list.Back() {
			return s.c.Post(ui.Pop{})
		}
	}
	return nil
}

// View is the table, under what is wrong with the node.
func (s *Screen) View(w, h int) []string {
	var out []string
	if s.err != nil {
		for _, l := range cell.Wrap("! "+cell.Clean(s.c.Words(s.err)), w) {
			out = append(out, s.c.Paint(theme.Bad, cell.Fit(l, w)))
		}
		out = out[:min(len(out), h)]
	}
	empty := s.c.T("luns.empty")
	if !s.known {
		empty = s.c.T("loading")
	}
	if s.err != nil && !s.known {
		empty = s.c.T("luns.unknown")
	}
	return append(out, s.list.Frame(w, h-len(out), empty)...)
}
