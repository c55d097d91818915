package batch

import (
	"fmt"
	"strings"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/screen/choice"
	"ipxe-all-ready/tui/theme"
)

// summary is the plan in one sentence.
func (s *Screen) summary() string {
	skipped, open := 0, 0
	for _, i := range s.items {
		switch {
		case i.skip:
			skipped++
		case i.agent == "":
			open++
		}
	}
	of := s.c.T("from.existing")
	switch s.what["type"] {
	case "master":
		of = s.c.T("from.master", s.what["name"])
	case "empty":
		of = s.c.T("from.empty", s.what["size"])
	}
	text := s.c.T("batch.summary", s.what["os"], of, len(s.items)-skipped, skipped)
	if open > 0 {
		text += " · " + s.c.T("batch.undealt", open)
	}
	return text
}

// View is the plan beside the nodes.
func (s *Screen) View(w, h int) []string {
	guide := s.c.T("batch.guide")
	if s.startOff() == "" {
		guide = s.c.T("batch.ready")
	}
	out := []string{
		cell.Fit(" "+s.c.Paint(theme.Accent, cell.Cut(s.summary(), w-1)), w),
		s.c.Paint(theme.Dim, cell.Fit(" "+guide, w)),
	}
	h -= 2
	left := w * 5 / 9
	if w >= 110 {
		left = w / 2
	}
	a, b := s.workers(left, h), s.panel(w-left-3, h)
	for i := range h {
		out = append(out, a[i]+s.c.Paint(theme.Border, " │ ")+b[i])
	}
	return out
}

func (s *Screen) pane(title string, on bool, w int) string {
	if on {
		return s.c.Paint(theme.Title, cell.Fit("> "+title, w))
	}
	return s.c.Paint(theme.Dim, cell.Fit("  "+title, w))
}

func (s *Screen) workers(w, h int) []string {
	out := []string{s.pane(s.c.T("batch.workers"), s.onWorkers, w)}
	s.rows = h - 1
	s.top = max(min(s.top, len(s.items)-s.rows), 0)
	if s.row < s.top {
		s.top = s.row
	}
	if s.row >= s.top+s.rows {
		s.top = s.row - s.rows + 1
	}
	name := w / 2
	for i := s.top; i < len(s.items) && len(out) < h; i++ {
		it := s.items[i]
		to, role := it.agent, theme.Plain
		switch {
		case it.skip:
			to, role = "= "+s.c.T("batch.skip", s.what["os"]), theme.Dim
		case it.agent == "":
			to, role = "? "+s.c.T("batch.nobody"), theme.Warn
		case s.what["type"] == "master" && !choice.HasMaster(s.c, it.agent, s.what["name"]):
			to, role = "! "+cell.CutMiddle(it.agent, w-name-5), theme.Bad
		default:
			to = "-> " + cell.CutMiddle(to, w-name-6)
		}
		line := cell.Fit("  "+cell.FitMiddle(it.worker, name)+" "+to, w)
		if i == s.row && s.onWorkers {
			line = s.c.Paint(theme.Cursor, ">"+line[1:])
		} else {
			line = s.c.Paint(role, line)
		}
		out = append(out, line)
	}
	return cell.Block(out, w, h)
}

// panel is the nodes: on or off, free space, and how many disks each gets.
func (s *Screen) panel(w, h int) []string {
	out := []string{s.pane(s.c.T("batch.nodes"), !s.onWorkers, w)}
	n := counts(s.items)
	nodes := choice.DiskNodes(s.c)
	name, gets := 0, 0
	for _, a := range nodes {
		name, gets = max(name, cell.Width(a.ID)), max(gets, cell.Width(s.c.T("batch.gets", n[a.ID])))
	}
	name = min(name, w-8-gets)
	for i, a := range nodes {
		box := "[ ] "
		if s.on[a.ID] {
			box = "[x] "
		}
		line := cell.Fit("  "+box+cell.FitMiddle(a.ID, name)+"  "+cell.FitRight(s.c.T("batch.gets", n[a.ID]), gets), w)
		if i == s.node && !s.onWorkers {
			line = s.c.Paint(theme.Cursor, ">"+line[1:])
		}
		note := "      " + choice.Free(s.c, a)
		if need := s.need(a, n[a.ID]); need != "" {
			note += " · " + need
		}
		out = append(out, line, s.c.Paint(s.role(a), cell.Fit(note, w)))
	}
	if len(nodes) == 0 {
		for _, l := range cell.Wrap(s.nobody(), max(w-2, 1)) {
			out = append(out, "  "+s.c.Paint(theme.Warn, l))
		}
	}
	if len(out) > h && !s.onWorkers { // keep the node under the cursor on screen
		if bottom := 1 + 2*s.node + 2; bottom > h {
			out = append(out[:1], out[bottom-h+1:]...)
		}
	}
	return cell.Block(out, w, h)
}

func (s *Screen) role(a api.Agent) theme.Role {
	if a.Health != "ok" && a.Health != "" {
		return theme.Bad
	}
	return theme.Dim
}

// need says what stands against this node.
func (s *Screen) need(a api.Agent, disks int) string {
	if s.what["type"] == "master" && !choice.HasMaster(s.c, a.ID, s.what["name"]) {
		return s.c.T("batch.lacks")
	}
	if disks == 0 || a.Capabilities == nil {
		return ""
	}
	if s.what["type"] == "master" && strings.HasPrefix(a.Capabilities.Clone, "full copy") {
		if need := int64(disks) * choice.MasterSize(s.c, a.ID, s.what["name"]); need > a.Capabilities.FreeBytes {
			return s.c.T("batch.full", cell.Bytes(need))
		}
	}
	return fmt.Sprintf("%s, %d LUN", a.Capabilities.FSType, a.Capabilities.Targets)
}
