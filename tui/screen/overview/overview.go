// Package overview is everything at a glance.
package overview

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/keys"
	"ipxe-all-ready/tui/screen/agents"
	"ipxe-all-ready/tui/screen/tasks"
	"ipxe-all-ready/tui/screen/worker"
	"ipxe-all-ready/tui/screen/workers"
	"ipxe-all-ready/tui/store"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

// Screen is the page.
type Screen struct{ c *ui.Ctx }

// New makes the page.
func New(c *ui.Ctx) *Screen { return &Screen{c} }

// Info is what the frame shows of it.
func (s *Screen) Info() ui.Info {
	return ui.Info{Scopes: []keys.Scope{keys.Overview}, Title: s.c.T("overview.title"), Tab: keys.Go1,
		Wants: []store.Part{store.Workers, store.Agents, store.Tasks, store.Settings, store.Operations, store.Findings, store.Ready, store.Sessions}}
}

// Update has nothing of its own to keep.
func (s *Screen) Update(tea.Msg) tea.Cmd { return nil }

// Disabled says why an action is off.
func (s *Screen) Disabled(a keys.Action) string {
	if a == keys.Auto && s.c.Store.Auto == nil {
		return s.c.T("off.unknown")
	}
	return ""
}

// Do carries out an action.
func (s *Screen) Do(a keys.Action) tea.Cmd {
	switch a {
	case keys.Auto:
		return workers.SwitchAuto(s.c)
	case keys.Back:
		return s.c.Post(ui.Pop{})
	}
	return nil
}

// View puts the parts side by side where there is room.
func (s *Screen) View(w, h int) []string {
	half := (w - 3) / 2
	left := append(append(s.faults(half), s.workers()...), s.agents(half)...)
	right := append(s.tasks(half), s.operations(half, h)...)
	out := make([]string, 0, h)
	a, b := cell.Block(left, half, h), cell.Block(right, w-half-3, h)
	for i := range h {
		out = append(out, a[i]+s.c.Paint(theme.Border, " │ ")+b[i])
	}
	return out
}

func (s *Screen) head(key string) string { return s.c.Paint(theme.Title, s.c.T(key)) }

func (s *Screen) faults(w int) []string {
	var out []string
	for _, f := range s.c.Store.Ready.Faults {
		at := f.File
		if f.Line > 0 {
			at = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		for _, l := range cell.Wrap("! "+cell.Clean(at+": "+f.Error), w) {
			out = append(out, s.c.Paint(theme.Bad, l))
		}
	}
	for _, n := range s.c.Store.Ready.Notes {
		for _, l := range cell.Wrap("! "+cell.Clean(n), w) {
			out = append(out, s.c.Paint(theme.Warn, l))
		}
	}
	if len(out) > 0 {
		out = append([]string{s.head("overview.faults")}, append(out, "")...)
	}
	return out
}

func (s *Screen) workers() []string {
	out := []string{s.head("workers.title")}
	if s.c.Store.At(store.Workers).IsZero() {
		return append(out, s.c.Paint(theme.Dim, "  "+s.c.T("loading")), "")
	}
	counts := map[string]int{}
	live := 0
	for id, w := range s.c.Store.Workers {
		counts[w.State]++
		if s.c.Store.Live[id] {
			live++
		}
	}
	for _, state := range []string{"ready", "registered", "installing", "failed"} {
		out = append(out, fmt.Sprintf("  %6d  %s", counts[state], s.c.Paint(worker.StateRole(state), worker.StateWord(s.c, state))))
	}
	out = append(out, fmt.Sprintf("  %6d  %s", live, s.c.T("overview.live")))
	return append(out, "  "+workers.Auto(s.c), "")
}

func (s *Screen) agents(w int) []string {
	out := []string{s.head("agents.title")}
	if s.c.Store.At(store.Agents).IsZero() {
		return append(out, s.c.Paint(theme.Dim, "  "+s.c.T("loading")))
	}
	for _, a := range s.c.Store.Agents {
		line := "  " + cell.FitMiddle(a.ID, min(max(w/3, 8), 20)) + " " + s.c.Paint(agents.HealthRole(a), cell.Fit(agents.Health(s.c, a), 13))
		if a.Capabilities != nil && a.Capabilities.TotalBytes > 0 {
			used := a.Capabilities.TotalBytes - a.Capabilities.FreeBytes
			if w >= 50 {
				line += " " + cell.Bar(used, a.Capabilities.TotalBytes, 12)
			}
			line += " " + cell.Bytes(a.Capabilities.FreeBytes)
		}
		out = append(out, line)
	}
	if len(s.c.Store.Agents) == 0 {
		out = append(out, s.c.Paint(theme.Warn, "  "+s.c.T("overview.noagent")))
	}
	return out
}

func (s *Screen) tasks(w int) []string {
	out := []string{s.head("overview.running")}
	for _, t := range s.c.Store.Tasks {
		if !api.Ended(t.State) && len(out) < 5 {
			out = append(out, "  "+cell.Fit(s.c.T("kind."+t.Kind), max(w/3, 8))+" "+tasks.Progress(s.c, t, min(16, w/4)))
		}
	}
	if len(out) == 1 {
		out = append(out, s.c.Paint(theme.Dim, "  "+s.c.T("overview.idle")))
	}
	return append(out, "", s.findings(), "")
}

func (s *Screen) findings() string {
	if s.c.Store.At(store.Findings).IsZero() {
		return s.c.Paint(theme.Dim, s.c.T("overview.checking"))
	}
	n := len(s.c.Store.Findings)
	if n == 0 {
		return s.c.Paint(theme.Good, "+ "+s.c.T("overview.nofinding"))
	}
	return s.c.Paint(theme.Warn, "! "+s.c.T("overview.findings", n))
}

func (s *Screen) operations(w, h int) []string {
	out := []string{s.head("overview.newest")}
	rows := s.newest(h - 1)
	clock, name := "15:04:05", 12
	longest := 0
	for _, o := range rows {
		longest = max(longest, cell.Width(o.Op))
	}
	if w < 50 {
		clock = "15:04"
	}
	lead := len(clock) + 4
	name = max(min(name, w-lead-1-longest), 0)
	for _, o := range rows {
		role, mark := outcome(o.Status)
		line := " " + o.TS.In(s.c.Zone).Format(clock) + " " + s.c.Paint(role, mark) + " "
		if name >= 6 {
			line += cell.FitMiddle(cell.Clean(o.WorkerID), name) + " "
		}
		line += cell.Clean(o.Op)
		if node := " " + cell.Clean(o.Agent); cell.Width(line+node) <= w {
			line += node
		}
		out = append(out, cell.Cut(line, w))
	}
	return out
}

func outcome(status string) (theme.Role, string) {
	switch status {
	case "succeeded", "ok":
		return theme.Good, "+"
	case "failed", "interrupted":
		return theme.Bad, "!"
	}
	return theme.Dim, "~"
}

// newest is the last n operations, each once: its end says all.
func (s *Screen) newest(n int) (rows []store.Operation) {
	ended := map[int64]bool{}
	for _, o := range s.c.Store.Operations {
		if len(rows) >= n {
			break
		}
		if !ended[o.ID] {
			rows = append(rows, o)
		}
		ended[o.Ref] = true
	}
	return rows
}
