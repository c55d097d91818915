// Package workers is the list of machines.
package workers

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/keys"
	"ipxe-all-ready/tui/screen/batch"
	"ipxe-all-ready/tui/screen/deletion"
	"ipxe-all-ready/tui/screen/rows"
	"ipxe-all-ready/tui/screen/worker"
	"ipxe-all-ready/tui/store"
	"ipxe-all-ready/tui/ui"
)

// Screen is the list.
type Screen struct {
	c    *ui.Ctx
	list *rows.List[*api.Worker]
}

// New makes the list from what the store knows.
func New(c *ui.Ctx) *Screen {
	s := &Screen{c: c, list: rows.New(c, options(c))}
	s.fill()
	return s
}

// Info is what the frame shows of it.
func (s *Screen) Info() ui.Info {
	return ui.Info{
		Scopes: []keys.Scope{keys.Workers, keys.Marks, keys.Rows}, Title: s.c.T("workers.title"), Tab: keys.Go2,
		Wants:   []store.Part{store.Workers, store.Agents, store.Sessions, store.Settings},
		Status:  s.list.Status() + " · " + s.auto(),
		Pending: s.list.Pending(), Marked: s.list.Marking(),
	}
}

func (s *Screen) auto() string { return Auto(s.c) }

// Auto says whether new machines are registered.
func Auto(c *ui.Ctx) string {
	switch a := c.Store.Auto; {
	case a == nil:
		return c.T("auto.unknown")
	case a.Enabled:
		return c.T("auto.on")
	}
	return c.T("auto.off")
}

// Update takes in what changed.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case store.Changed:
		if m.Part == store.Workers {
			s.changed(m.IDs)
		}
	case ui.MarkWorkers:
		s.list.MarkOnly(m.IDs)
	case ui.UnmarkWorkers:
		s.list.UnmarkThese(m.IDs)
	default:
		s.list.Mouse(msg)
	}
	return nil
}

func (s *Screen) changed(ids []string) {
	if ids == nil {
		s.fill()
		return
	}
	var put []*api.Worker
	for _, id := range ids {
		if w := s.c.Store.Workers[id]; w != nil {
			put = append(put, w)
		} else {
			s.list.Delete(id)
		}
	}
	s.list.Put(put...)
}

func (s *Screen) fill() { s.list.Set(slices.Collect(maps.Values(s.c.Store.Workers))) }

// Key types the filter.
func (s *Screen) Key(k tea.KeyMsg) (tea.Cmd, bool) { return s.list.Key(k) }

// Disabled says why an action is off.
func (s *Screen) Disabled(a keys.Action) string {
	switch a {
	case keys.Open, keys.Mark, keys.Range, keys.Delete, keys.BatchOpen:
		if s.list.Shown() == 0 && len(s.list.Chosen()) == 0 {
			return s.c.T("off.norow")
		}
	case keys.Auto:
		if s.c.Store.Auto == nil {
			return s.c.T("off.unknown")
		}
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
		if w, ok := s.list.Cursor(); ok {
			sc, cmd := worker.New(s.c, w.WorkerID)
			return tea.Batch(s.c.Post(ui.Push{Screen: sc}), cmd)
		}
	case keys.Register:
		return s.c.Post(ui.Open{Dialog: s.register()})
	case keys.Auto:
		return SwitchAuto(s.c)
	case keys.BatchOpen:
		return batch.Open(s.c, s.chosen())
	case keys.Delete:
		return s.c.Post(ui.Open{Dialog: deletion.New(s.c, s.chosen())})
	case keys.Back:
		if !s.list.Back() {
			return s.c.Post(ui.Pop{})
		}
	}
	return nil
}

func (s *Screen) chosen() []string {
	var ids []string
	for _, w := range s.list.Chosen() {
		ids = append(ids, w.WorkerID)
	}
	return ids
}

// SwitchAuto turns automatic registration around.
func SwitchAuto(c *ui.Ctx) tea.Cmd {
	if c.Store.Auto == nil {
		return nil
	}
	cp, want := c.Client, !c.Store.Auto.Enabled
	_, cmd := c.Call(c.T("call.auto"), func(ctx context.Context) (any, error) {
		return cp.SetAutoRegister(ctx, want)
	}, func(v any) tea.Cmd {
		a := v.(api.AutoRegister)
		c.Store.Auto = &a
		return c.Post(ui.Notice{Text: Auto(c)})
	})
	return cmd
}

// View is the table.
func (s *Screen) View(w, h int) []string {
	empty := s.c.T("workers.empty")
	if s.c.Store.At(store.Workers).IsZero() {
		empty = s.c.T("loading")
	}
	return s.list.Frame(w, h, empty)
}

func age(c *ui.Ctx, t *time.Time) string {
	if t == nil {
		return "-"
	}
	return cell.Age(c.Now().Sub(*t))
}

func systems(w *api.Worker) string {
	var out []string
	for _, d := range w.Disks {
		name := d.OS
		if d.OS == w.DefaultOS {
			name += "*"
		}
		out = append(out, name)
	}
	if w.CD != nil {
		out = append(out, "cd")
	}
	return strings.Join(out, ",")
}

// Agents is where a worker's disks and CD are, each once.
func Agents(w *api.Worker) []string {
	var out []string
	for _, d := range w.Disks {
		if !slices.Contains(out, d.Agent) {
			out = append(out, d.Agent)
		}
	}
	if w.CD != nil && !slices.Contains(out, w.CD.Agent) {
		out = append(out, w.CD.Agent)
	}
	return out
}
