package table

import (
	"strings"

	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/theme"
)

// lead is cursor and mark before the first column.
const lead = 3

// View is the table as exactly h lines of exactly w columns; empty is said
// where no row is shown.
func (t *Table[R]) View(th *theme.Theme, w, h int, empty string) []string {
	if h <= 0 {
		return nil
	}
	layout := t.layout(w)
	out := make([]string, 0, h)
	out = append(out, th.Paint(theme.Title, t.head(layout, w)))
	t.height = h - 1
	t.scroll()
	for i := t.top; i < len(t.shown) && len(out) < h; i++ {
		out = append(out, t.line(th, i, layout, w))
	}
	if len(t.shown) == 0 && h > 1 {
		for _, l := range cell.Wrap(empty, max(w-lead, 1)) {
			if len(out) < h {
				out = append(out, th.Paint(theme.Dim, cell.Fit("   "+l, w)))
			}
		}
	}
	for len(out) < h {
		out = append(out, cell.Blank(w))
	}
	return out
}

// scroll keeps the cursor on screen.
func (t *Table[R]) scroll() {
	rows := max(t.height, 1)
	t.top = min(t.top, max(len(t.shown)-rows, 0))
	if t.place < t.top {
		t.top = t.place
	}
	if t.place >= t.top+rows {
		t.top = t.place - rows + 1
	}
}

// Click puts the cursor on the row at line y of the View and reports whether
// there is one.
func (t *Table[R]) Click(y int, extend bool) bool {
	i := t.top + y - 1
	if y < 1 || y > t.height || i >= len(t.shown) {
		return false
	}
	if extend {
		t.Extend(i - t.place)
	} else {
		t.Move(i - t.place)
	}
	return true
}

// layout is the width of every column; 0: not shown.
func (t *Table[R]) layout(w int) []int {
	widths := make([]int, len(t.o.Columns))
	need := lead
	for i, c := range t.o.Columns {
		widths[i] = max(c.Min, cell.Width(t.o.Words(c.Title))+2)
		need += widths[i] + 1
	}
	for need-1 > w {
		drop := -1
		for i, c := range t.o.Columns {
			if widths[i] > 0 && c.Drop > 0 && (drop < 0 || c.Drop > t.o.Columns[drop].Drop) {
				drop = i
			}
		}
		if drop < 0 {
			shrink(widths, need-1-w)
			return widths
		}
		need -= widths[drop] + 1
		widths[drop] = 0
	}
	t.grow(widths, w-need+1)
	return widths
}

// shrink takes n columns away, always from the widest, down to a few each.
func shrink(widths []int, n int) {
	for range n {
		widest := 0
		for i := range widths {
			if widths[i] > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= 4 {
			return
		}
		widths[widest]--
	}
}

// grow deals what is left over to the columns that want it.
func (t *Table[R]) grow(widths []int, left int) {
	shares := 0
	for i, c := range t.o.Columns {
		if widths[i] > 0 {
			shares += c.Grow
		}
	}
	if left <= 0 || shares == 0 {
		return
	}
	for i, c := range t.o.Columns {
		if widths[i] > 0 {
			widths[i] += left * c.Grow / shares
		}
	}
}

func (t *Table[R]) head(layout []int, w int) string {
	var b strings.Builder
	b.WriteString(cell.Blank(lead))
	for i, c := range t.o.Columns {
		if layout[i] == 0 {
			continue
		}
		title := t.o.Words(c.Title)
		if i == t.sort {
			title += map[bool]string{false: " ^", true: " v"}[t.back]
		}
		b.WriteString(fit(title, layout[i], c.Right))
		b.WriteByte(' ')
	}
	return cell.Fit(strings.TrimRight(b.String(), " "), w)
}

func fit(s string, w int, right bool) string {
	if right {
		return cell.FitRight(s, w)
	}
	return cell.Fit(s, w)
}

func (t *Table[R]) line(th *theme.Theme, i int, layout []int, w int) string {
	e := t.shown[i]
	under := i == t.place
	var b strings.Builder
	b.WriteString(map[bool]string{false: " ", true: ">"}[under])
	mark := " "
	if e.marked {
		mark = "*"
	}
	if under {
		b.WriteString(mark + " ")
	} else {
		b.WriteString(th.Paint(theme.Marked, mark) + " ")
	}
	gap := false
	for n, c := range t.o.Columns {
		if layout[n] == 0 {
			continue
		}
		text := cell.Clean(c.Text(e.row))
		if c.Name {
			text = cell.CutMiddle(text, layout[n])
		}
		text = fit(text, layout[n], c.Right)
		switch {
		case under:
		case e.marked && n == 0:
			text = th.Paint(theme.Marked, text)
		case c.Role != nil:
			text = th.Paint(c.Role(e.row), text)
		}
		if gap {
			b.WriteByte(' ')
		}
		gap = true
		b.WriteString(text)
	}
	line := cell.Fit(b.String(), w)
	if under {
		return th.Paint(theme.Cursor, line)
	}
	return line
}
