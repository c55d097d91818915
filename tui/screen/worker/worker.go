// Package worker is one machine: who it is, its disks, what it boots, what is
// really there, and what was done to it.
package worker

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/tui/keys"
	"ipxe-all-ready/tui/screen/choice"
	"ipxe-all-ready/tui/screen/deletion"
	"ipxe-all-ready/tui/store"
	"ipxe-all-ready/tui/ui"
)

// Screen is one machine.
type Screen struct {
	c  *ui.Ctx
	id string

	load      int // of status and history together
	status    *api.WorkerStatus
	statusErr error
	history   []store.Operation
	disk      int // the one under the cursor
	top       int
	rows      int
	lines     int
}

// MAC is a worker's address or what stands for none.
func MAC(w *api.Worker) string {
	if w.MAC == nil {
		return "-"
	}
	return *w.MAC
}

// New shows a machine and begins to ask about it.
func New(c *ui.Ctx, id string) (*Screen, tea.Cmd) {
	s := &Screen{c: c, id: id}
	return s, s.ask()
}

type statusAnswer struct {
	id     string
	load   int
	status api.WorkerStatus
	err    error
}

type historyAnswer struct {
	id   string
	load int
	rows []store.Operation
}

const historyLength = 50

func (s *Screen) ask() tea.Cmd {
	s.load++
	cp, id, load := s.c.Client, s.id, s.load
	return tea.Batch(func() tea.Msg {
		st, err := cp.WorkerStatus(context.Background(), id)
		return statusAnswer{id, load, st, err}
	}, func() tea.Msg {
		page, _ := cp.Operations(context.Background(), client.OperationsQuery{WorkerID: id, Tail: historyLength})
		return historyAnswer{id, load, store.ReadOperations(page)}
	})
}

// Info is what the frame shows of it.
func (s *Screen) Info() ui.Info {
	return ui.Info{Scopes: []keys.Scope{keys.Worker}, Title: s.c.T("worker.title", s.id), Tab: keys.Go2,
		Wants: []store.Part{store.Workers, store.Agents, store.Masters, store.Sessions}}
}

func (s *Screen) worker() *api.Worker { return s.c.Store.Workers[s.id] }

// Update takes answers and changes in.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case statusAnswer:
		if m.id == s.id && m.load == s.load {
			s.statusErr = m.err
			if m.err == nil {
				s.status = &m.status
			}
		}
	case historyAnswer:
		if m.id == s.id && m.load == s.load {
			s.history = m.rows
		}
	case store.Changed:
		if s.concerns(m) {
			return s.ask()
		}
	case ui.Wheel:
		s.scroll(m.Lines)
	}
	return nil
}

// concerns reports whether a change may be one of this machine: of its row, of
// who is logged in anywhere, of what was done to it.
func (s *Screen) concerns(m store.Changed) bool {
	switch m.Part {
	case store.Workers:
		return m.IDs == nil || slices.Contains(m.IDs, s.id)
	case store.Sessions:
		return true
	case store.Operations:
		o := s.c.Store.Operations
		return slices.ContainsFunc(o[:min(len(o), len(m.IDs))], func(o store.Operation) bool { return o.WorkerID == s.id })
	}
	return false
}

// Disabled says why an action is off.
func (s *Screen) Disabled(a keys.Action) string {
	w := s.worker()
	if w == nil {
		switch a {
		case keys.EditMAC, keys.NewDisk, keys.DropDisk, keys.Boot, keys.AttachCD, keys.DetachCD, keys.BootVars, keys.Delete:
			return s.c.T("worker.gone", s.id)
		}
		return ""
	}
	switch {
	case a == keys.DropDisk && len(w.Disks) == 0:
		return s.c.T("off.nodisk")
	case a == keys.NewDisk && len(free(w)) == 0:
		return s.c.T("off.alldisks")
	case a == keys.AttachCD && w.CD != nil:
		return s.c.T("off.cd", w.CD.ISO)
	case a == keys.AttachCD && !s.c.Store.At(store.Agents).IsZero() && len(choice.CDNodes(s.c)) == 0:
		return s.c.T("cd.nonode")
	case a == keys.DetachCD && w.CD == nil:
		return s.c.T("off.nocd")
	}
	return ""
}

// Do carries out an action.
func (s *Screen) Do(a keys.Action) tea.Cmd {
	switch a {
	case keys.Back:
		return s.c.Post(ui.Pop{})
	case keys.Up:
		s.move(-1)
	case keys.Down:
		s.move(1)
	case keys.PageUp:
		s.scroll(-s.rows)
	case keys.PageDown:
		s.scroll(s.rows)
	case keys.Refresh:
		return s.ask()
	case keys.Delete:
		return s.c.Post(ui.Open{Dialog: deletion.New(s.c, []string{s.id})})
	case keys.EditMAC:
		return s.c.Post(ui.Open{Dialog: s.macForm()})
	case keys.NewDisk:
		return s.c.Post(ui.Open{Dialog: s.diskForm()})
	case keys.DropDisk:
		return s.c.Post(ui.Open{Dialog: s.dropForm()})
	case keys.AttachCD:
		return s.c.Post(ui.Open{Dialog: s.cdForm()})
	case keys.DetachCD:
		return s.c.Post(ui.Open{Dialog: s.detachForm()})
	case keys.Boot:
		return s.c.Post(ui.Open{Dialog: s.bootForm()})
	case keys.BootVars:
		return s.bootVars()
	}
	return nil
}

// move goes to the next disk, and past the last one scrolls.
func (s *Screen) move(n int) {
	w := s.worker()
	if w == nil {
		return
	}
	next := s.disk + n
	if next < 0 || next >= len(w.Disks) || s.top > 0 && n < 0 {
		s.scroll(n)
		return
	}
	s.disk = next
}

func (s *Screen) scroll(n int) { s.top = max(min(s.top+n, s.lines-s.rows), 0) }

// View is the page.
func (s *Screen) View(w, h int) []string {
	lines := s.page(w)
	s.rows, s.lines = h, len(lines)
	s.top = max(min(s.top, s.lines-s.rows), 0)
	return block(lines[s.top:], w, h)
}
