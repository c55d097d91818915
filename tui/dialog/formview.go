package dialog

import (
	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/theme"
)

// View is the form. Where it is higher than h, the words above the fields are
// cut before the fields are, and those scroll around the one that is on.
func (f *Form) View(w, h int) []string {
	v := f.Values()
	fields, on := f.fields(v, w)
	intro := f.intro(v, w)
	tail := f.tail(w, h, len(intro)+len(fields))
	room := max(h-len(tail), 1)
	if above := max(room-len(fields), 0); len(intro) > above {
		intro = intro[:above]
		if above > 1 {
			intro[above-1] = f.c.Paint(theme.Dim, cell.Cut(f.c.T("form.cut"), w))
		}
	}
	if len(fields) > room {
		top := min(max(on-room/2, 0), len(fields)-room)
		fields = fields[top : top+room]
	}
	return append(append(intro, fields...), tail...)
}

func (f *Form) intro(v Values, w int) (lines []string) {
	if f.o.Intro == nil {
		return nil
	}
	for _, l := range f.o.Intro(v) {
		lines = append(lines, cell.Wrap(l, w)...)
	}
	return append(lines, "")
}

// fields is a line a field, and which of them is on.
func (f *Form) fields(v Values, w int) (lines []string, on int) {
	label := f.labelWidth(w)
	for i, in := range f.inputs {
		if f.hidden(i) {
			continue
		}
		if i == f.at {
			on = len(lines)
		}
		lines = append(lines, f.line(i, in, v, label, w))
	}
	return lines, on
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
	in.text.SetCursor(in.text.Position()) // scrolls to the cursor in a field of this width
	return cell.Cut(in.text.View(), room)
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

// tail is hint, and error or progress; where all above it takes body lines and
// little room is left, only the latter: the footer names the keys too.
func (f *Form) tail(w, h, body int) []string {
	said := f.said(w)
	var hint []string
	if f.at < len(f.inputs) && f.inputs[f.at].Hint != "" {
		for _, l := range cell.Wrap(f.inputs[f.at].Hint, w) {
			hint = append(hint, f.c.Paint(theme.Dim, l))
		}
	}
	if body+len(hint)+len(said)+2 > h {
		return said[:min(len(said), max(h-2, 1))]
	}
	out := append([]string{""}, hint...)
	return append(append(out, said...), f.c.Paint(theme.Dim, cell.Cut(f.guide(), w)))
}

// guide is what the keys do on the field that is on.
func (f *Form) guide() string {
	verb := f.o.Verb
	switch {
	case !f.last():
		verb = f.c.T("form.next")
	case verb == "":
		verb = f.c.T("form.send")
	}
	text := f.c.T("form.keys", verb)
	if f.at < len(f.inputs) && f.inputs[f.at].typed() {
		text += " · " + f.c.T("form.clear")
	}
	return text
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
