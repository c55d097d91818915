// Package operations is the audit trail, live and newest first.
package operations

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/tui/dialog"
	"ipxe-all-ready/tui/i18n"
	"ipxe-all-ready/tui/keys"
	"ipxe-all-ready/tui/screen/rows"
	"ipxe-all-ready/tui/store"
	"ipxe-all-ready/tui/table"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

// Screen is the trail.
type Screen struct {
	c      *ui.Ctx
	asking bool // for older ones
	err    error
	list   *rows.List[store.Operation]
}

// New makes the list from what the store knows.
func New(c *ui.Ctx) *Screen {
	s := &Screen{c: c}
	s.list = rows.New(c, table.Options[store.Operation]{
		ID:      func(o store.Operation) string { return strconv.FormatInt(o.ID, 10) },
		Base:    func(o store.Operation) string { return fmt.Sprintf("%020d", math.MaxInt64-o.ID) },
		Search:  func(o store.Operation) string { return string(o.Raw) },
		Field:   field,
		Fields:  []string{"op", "status", "worker", "agent"},
		Columns: columns(c),
	})
	s.list.Set(c.Store.Operations)
	return s
}

func field(o store.Operation, name string) (string, bool) {
	switch name {
	case "op":
		return o.Op, true
	case "status":
		return o.Status, true
	case "worker":
		return o.WorkerID, true
	case "agent":
		return o.Agent, true
	}
	return "", false
}

func columns(c *ui.Ctx) []table.Column[store.Operation] {
	return []table.Column[store.Operation]{
		{Title: "col.time", Min: 14, Text: func(o store.Operation) string { return c.Time(o.TS) }, Key: func(o store.Operation) string { return fmt.Sprintf("%020d", o.ID) }},
		{Title: "col.op", Name: true, Min: 18, Grow: 1, Text: func(o store.Operation) string { return o.Op }},
		{Title: "col.state", Min: 12, Text: func(o store.Operation) string { return word(c, o) }, Role: role},
		{Title: "col.worker", Name: true, Min: 10, Grow: 1, Drop: 1, Text: func(o store.Operation) string { return dash(o.WorkerID) }},
		{Title: "col.node", Name: true, Min: 8, Grow: 1, Drop: 3, Text: func(o store.Operation) string { return dash(o.Agent) }},
		{Title: "col.detail", Min: 16, Grow: 4, Drop: 2, Text: func(o store.Operation) string { return o.Error }},
	}
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func word(c *ui.Ctx, o store.Operation) string {
	symbol := map[string]string{"started": "~ ", "succeeded": "+ ", "ok": "+ ", "failed": "! ", "interrupted": "! "}[o.Status]
	if key := "status." + o.Status; i18n.Has(key) { // a newer control plane may know more
		return symbol + c.T(key)
	}
	return symbol + o.Status
}

func role(o store.Operation) theme.Role {
	switch o.Status {
	case "succeeded", "ok":
		return theme.Good
	case "failed", "interrupted":
		return theme.Bad
	}
	return theme.Dim
}

// Info is what the frame shows of it.
func (s *Screen) Info() ui.Info {
	status := s.list.Status()
	switch {
	case s.err != nil:
		status += " · ! " + s.c.Words(s.err)
	case s.asking:
		status += " · " + s.c.T("operations.older")
	case s.c.Store.Oldest:
		status += " · " + s.c.T("operations.all")
	}
	return ui.Info{Scopes: []keys.Scope{keys.Operations, keys.Rows}, Title: s.c.T("operations.title"), Tab: keys.Go4,
		Wants: []store.Part{store.Operations}, Status: status, Pending: s.list.Pending()}
}

// Update takes in what changed.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case store.Changed:
		if m.Part == store.Operations {
			s.changed(m.IDs)
		}
	case store.OlderOperations:
		s.asking, s.err = false, m.Err
		if s.c.Store.AddOlder(m) {
			s.list.Put(m.Rows...)
		}
	default:
		s.list.Mouse(msg)
	}
	return s.older()
}

func (s *Screen) changed(ids []string) {
	all := s.c.Store.Operations
	fresh := 0
	for fresh < len(all) && fresh < len(ids) {
		if _, known := s.list.Row(strconv.FormatInt(all[fresh].ID, 10)); known {
			break
		}
		fresh++
	}
	if ids == nil {
		s.list.Set(all)
		return
	}
	// The cursor on the newest entry stays on the newest.
	follow := s.list.AtTop()
	s.list.Put(all[:fresh]...)
	if follow && fresh > 0 {
		s.list.Select(strconv.FormatInt(all[0].ID, 10))
	}
}

// older loads the page before when the cursor comes near the end.
func (s *Screen) older() tea.Cmd {
	if s.asking || s.err != nil || !s.list.NearEnd() {
		return nil
	}
	cmd := s.c.Store.LoadOlder()
	s.asking = cmd != nil
	return cmd
}

// Key types the filter.
func (s *Screen) Key(k tea.KeyMsg) (tea.Cmd, bool) {
	cmd, taken := s.list.Key(k)
	if taken {
		return tea.Batch(cmd, s.older()), true
	}
	return cmd, false
}

// Disabled says why an action is off.
func (s *Screen) Disabled(a keys.Action) string {
	if _, ok := s.list.Cursor(); a == keys.Open && !ok {
		return s.c.T("off.norow")
	}
	return ""
}

// Do carries out an action.
func (s *Screen) Do(a keys.Action) tea.Cmd {
	s.err = nil
	if s.list.Do(a) {
		return s.older()
	}
	switch a {
	case keys.Open:
		on, _ := s.list.Cursor()
		return s.c.Post(ui.Open{Dialog: record(s.c, on)})
	case keys.Status:
		s.nextStatus()
		return s.older()
	case keys.Back:
		if !s.list.Back() {
			return s.c.Post(ui.Pop{})
		}
	}
	return nil
}

var statuses = []string{"", "status:failed", "status:started", "status:succeeded", "status:interrupted"}

// nextStatus shows the entries of one outcome, and of the next with the next press.
func (s *Screen) nextStatus() {
	words := strings.Fields(s.list.Filtered())
	at := 0
	var rest []string
	for _, w := range words {
		known := false
		for i, x := range statuses {
			if i > 0 && w == x {
				at, known = i, true
			}
		}
		if !known {
			rest = append(rest, w)
		}
	}
	if next := statuses[(at+1)%len(statuses)]; next != "" {
		rest = append(rest, next)
	}
	s.list.Table.Filter(strings.Join(rest, " "))
}

func record(c *ui.Ctx, o store.Operation) ui.Dialog {
	var b bytes.Buffer
	lines := []string{string(o.Raw)}
	if json.Indent(&b, o.Raw, "", "  ") == nil {
		lines = strings.Split(b.String(), "\n")
	}
	return dialog.NewReader(c, fmt.Sprintf("%s %d", c.T("operations.record"), o.ID), func() []string { return lines })
}

// View is the table.
func (s *Screen) View(w, h int) []string {
	empty := s.c.T("operations.empty")
	if s.c.Store.At(store.Operations).IsZero() {
		empty = s.c.T("loading")
	}
	return s.list.Frame(w, h, empty)
}
