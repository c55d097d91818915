package dialog

import (
	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/theme"
)

// View is the form; where it is higher than h, the part around the field that is on.
func (f *Form) View(w, h int) []string {
	var lines []string
	v := f.Values()
	if f.o.Intro != nil {
		for _, l := range f.o.Intro(v) {
			lines = append(lines, cell.Wrap(l, w)...)
		}
		lines = append(lines, "")
	}
	label := f.labelWidth(w)
	on := len(lines)
	for i, in := range f.inputs {
		if f.hidden(i) {
			continue
		}
		if i == f.at {
			on = len(lines)
		}
		lines = append(lines, f.line(i, in, v, label, w))
	}
	tail := f.tail(w, h)
	room := max(h-len(tail), 1)
	if len(lines) > room {
		top := min(max(on-room+2, 0), len(lines)-room)
		lines = lines[top : top+room]
	}
	return append(lines, tail...)
}

func (f *Form) labelWidth(w int) int {
	label := 0
	for i, in := range f.inputs {
		if !f.hidden(i) {
			label = max(label, cell.Width(in.Label))
		}
	}
	return min(label, max(w/2, 1))
}

func (f *Form) line(i int, in *input, v Values, label, w int) string {
	head := "  "
	role := theme.Plain
	if i == f.at {
		head, role = "> ", theme.Key
	}
	head = f.c.Paint(role, head+cell.Fit(in.Label, label)+" ")
	room := max(w-label-3, 4)
	return head + f.content(i, in, v, room)
}

func (f *Form) content(i int, in *input, v Values, room int) string {
	danger := in.Danger != nil && in.Danger(v)
	switch in.Kind {
	case Toggle:
		box := "[ ] " + f.c.T("no")
		if in.Value == "yes" {
			box = "[x] " + f.c.T("yes")
		}
		return f.paint(box, i == f.at, danger)
	case Choice:
		o := in.options(v)
		if len(o) == 0 {
			return f.c.Paint(theme.Dim, cell.Cut(f.c.T("form.none"), room))
		}
		text := cell.Cut(o[in.at(o)].Label, room-8)
		return f.paint("< "+text+" >", i == f.at, danger)
	}
	in.text.Width = room - 1
	return in.text.View()
}

func (f *Form) paint(s string, on, danger bool) string {
	switch {
	case danger:
		return f.c.Paint(theme.Bad, s+" !")
	case on:
		return f.c.Paint(theme.Accent, s)
	}
	return s
}

// cramped is below how many lines a form leaves out what the footer says too.
const cramped = 8

// tail is hint, and error or progress.
func (f *Form) tail(w, h int) []string {
	said := f.said(w)
	if h < cramped {
		return said[:min(len(said), max(h-2, 1))]
	}
	out := []string{""}
	if f.at < len(f.inputs) && f.inputs[f.at].Hint != "" {
		for _, l := range cell.Wrap(f.inputs[f.at].Hint, w) {
			out = append(out, f.c.Paint(theme.Dim, l))
		}
	}
	verb := f.o.Verb
	if verb == "" {
		verb = f.c.T("form.send")
	}
	return append(append(out, said...), f.c.Paint(theme.Dim, cell.Cut(f.c.T("form.keys", verb), w)))
}

func (f *Form) said(w int) (out []string) {
	switch {
	case f.call != 0:
		out = append(out, f.c.Paint(theme.Accent, f.c.T("form.busy")))
	case f.err != "":
		for _, l := range cell.Wrap("! "+cell.Clean(f.err), w) {
			out = append(out, f.c.Paint(theme.Bad, l))
		}
	}
	return out
}
