package worker

import (
	"fmt"
	"strings"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

func block(lines []string, w, h int) []string { return cell.Block(lines, w, h) }

func (s *Screen) page(width int) []string {
	w := s.worker()
	if w == nil {
		return []string{"", s.c.Paint(theme.Warn, "  "+s.c.T("worker.gone", s.id))}
	}
	var out []string
	out = append(out, s.identity(w)...)
	out = append(out, s.disks(w, width)...)
	out = append(out, s.boot(w)...)
	out = append(out, s.live(width)...)
	return append(out, s.past(width)...)
}

func (s *Screen) head(key string, args ...any) string {
	return s.c.Paint(theme.Title, s.c.T(key, args...))
}

func (s *Screen) pair(key, value string) string {
	return "  " + s.c.Paint(theme.Dim, cell.Fit(s.c.T(key), 14)) + " " + cell.Clean(value)
}

func (s *Screen) identity(w *api.Worker) []string {
	out := []string{
		s.head("worker.identity"),
		s.pair("worker.host", w.Hostname+"  ("+w.Arch+")"),
		s.pair("worker.mac", MAC(w)),
		"  " + s.c.Paint(theme.Dim, cell.Fit(s.c.T("worker.state"), 14)) + " " + s.c.Paint(StateRole(w.State), StateWord(s.c, w.State)),
	}
	if w.Error != "" {
		out = append(out, "  "+s.c.Paint(theme.Bad, "! "+cell.Clean(w.Error)))
	}
	if w.LastBootAt != nil {
		out = append(out, s.pair("worker.last", s.c.Time(*w.LastBootAt)))
	}
	return append(out, "")
}

// StateRole is the colour of a worker's state.
func StateRole(state string) theme.Role {
	switch state {
	case "ready":
		return theme.Good
	case "installing":
		return theme.Warn
	case "failed":
		return theme.Bad
	}
	return theme.Dim
}

// StateWord is a worker's state with its symbol.
func StateWord(c *ui.Ctx, state string) string {
	return map[string]string{"registered": "- ", "ready": "+ ", "installing": "~ ", "failed": "! "}[state] + c.T("state."+state)
}

func (s *Screen) disks(w *api.Worker, width int) []string {
	out := []string{s.head("worker.disks", len(w.Disks))}
	if len(w.Disks) == 0 {
		out = append(out, s.c.Paint(theme.Dim, "  "+s.c.T("worker.nodisk")))
	}
	s.disk = max(min(s.disk, len(w.Disks)-1), 0)
	for i, d := range w.Disks {
		name := d.OS
		if d.OS == w.DefaultOS {
			name += "*"
		}
		text := fmt.Sprintf("%s %s %s %s", cell.Fit(name, 10), cell.FitMiddle(d.Agent, 14), cell.FitMiddle(from(s.c.T, d.Source), 26), cell.CutMiddle(d.IQN, width-55))
		text = cell.Clean(text)
		if i == s.disk {
			out = append(out, s.c.Paint(theme.Cursor, cell.Fit("> "+text, width)))
		} else {
			out = append(out, "  "+text)
		}
	}
	if w.CD != nil {
		out = append(out, "  "+cell.Clean(fmt.Sprintf("%s %s %s", cell.Fit("CD", 10), cell.FitMiddle(w.CD.Agent, 14), w.CD.ISO)))
	}
	return append(out, "")
}

func from(t func(string, ...any) string, src api.Source) string {
	switch src.Type {
	case "master":
		return t("from.master", src.Name)
	case "empty":
		return t("from.empty", src.Size)
	}
	return t("from.existing")
}

func (s *Screen) boot(w *api.Worker) []string {
	value := func(v string) string {
		if v == "" {
			return s.c.T("unset")
		}
		return v
	}
	var item, timeout string
	if w.Boot != nil {
		item = w.Boot.MenuDefault
		if w.Boot.MenuTimeout != nil {
			timeout = s.c.T("boot.ms", *w.Boot.MenuTimeout)
		}
	}
	return []string{
		s.head("worker.boot"),
		s.pair("boot.os", value(w.DefaultOS)),
		s.pair("boot.item", value(item)),
		s.pair("boot.timeout", value(timeout)),
		"",
	}
}

func (s *Screen) live(width int) []string {
	out := []string{s.head("worker.live")}
	if s.statusErr != nil {
		for _, l := range cell.Wrap("! "+cell.Clean(s.c.Words(s.statusErr)), width-2) {
			out = append(out, "  "+s.c.Paint(theme.Bad, l))
		}
	}
	if s.status == nil {
		if s.statusErr == nil {
			out = append(out, s.c.Paint(theme.Dim, "  "+s.c.T("loading")))
		}
		return append(out, "")
	}
	a := s.status.Actual
	binding := "! " + s.c.T("live.unbound")
	if a.Dnsmasq.MAC != nil {
		binding = "+ " + *a.Dnsmasq.MAC + " = " + a.Dnsmasq.Hostname
	}
	out = append(out, s.pair("live.dnsmasq", binding))
	for _, d := range a.Disks {
		out = append(out, s.lun(d.OS, d.LUNStatus))
	}
	if a.CD != nil {
		out = append(out, s.lun("CD", *a.CD))
	}
	return append(out, "")
}

func (s *Screen) lun(name string, l api.LUNStatus) string {
	text, role := "+ "+s.c.T("live.target", l.Agent), theme.Good
	switch {
	case l.Error != "":
		text, role = "? "+l.Error, theme.Warn
	case !l.Exists:
		text, role = "! "+s.c.T("live.missing", l.Agent), theme.Bad
	case len(l.Sessions) > 0:
		var who []string
		for _, x := range l.Sessions {
			who = append(who, x.Initiator)
		}
		text += " · " + s.c.T("live.session", strings.Join(who, ", "))
	}
	return "  " + s.c.Paint(theme.Dim, cell.Fit(cell.Clean(name), 14)) + " " + s.c.Paint(role, cell.Clean(text))
}

func (s *Screen) past(width int) []string {
	out := []string{s.head("worker.history")}
	for _, o := range s.history {
		line := fmt.Sprintf("  %s %s %s %s", s.c.Time(o.TS), cell.Fit(cell.Clean(o.Op), 20), cell.Fit(cell.Clean(o.Status), 10), cell.Clean(o.Error))
		if o.Status == "failed" {
			line = s.c.Paint(theme.Bad, line)
		}
		out = append(out, cell.Cut(line, width))
	}
	if len(s.history) == 0 {
		out = append(out, s.c.Paint(theme.Dim, "  "+s.c.T("worker.nohistory")))
	}
	return out
}
