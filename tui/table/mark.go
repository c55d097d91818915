package table

// settle finds the cursor again after the rows changed: on its row, else on
// the row that took its place.
func (t *Table[R]) settle() {
	if len(t.shown) == 0 {
		return
	}
	if e := t.byID[t.cursor]; e != nil && e.shown {
		t.place = t.indexOf(e)
		return
	}
	t.place = min(t.place, len(t.shown)-1)
	t.cursor = t.shown[t.place].id
}

func (t *Table[R]) indexOf(e *entry[R]) int {
	if t.place < len(t.shown) && t.shown[t.place] == e {
		return t.place
	}
	for i, x := range t.shown {
		if x == e {
			return i
		}
	}
	return 0
}

// Cursor is the row under the cursor.
func (t *Table[R]) Cursor() (R, bool) {
	var none R
	if len(t.shown) == 0 {
		return none, false
	}
	return t.shown[t.place].row, true
}

// Select puts the cursor on a row, if it is shown.
func (t *Table[R]) Select(id string) {
	if e := t.byID[id]; e != nil && e.shown {
		t.moveTo(t.indexOf(e))
	}
}

// Move moves the cursor by n rows; within a range that v began, it extends it.
func (t *Table[R]) Move(n int) {
	t.moveTo(t.place + n)
	if t.ranging {
		t.paintRange()
	} else {
		t.anchor = ""
	}
}

// Page is how many rows a page key moves.
func (t *Table[R]) Page() int { return max(t.height-1, 1) }

func (t *Table[R]) moveTo(place int) {
	if len(t.shown) == 0 {
		return
	}
	t.place = min(max(place, 0), len(t.shown)-1)
	t.cursor = t.shown[t.place].id
}

// Extend moves the cursor by n rows and marks from the anchor to it, as in a
// file manager: going back unmarks again.
func (t *Table[R]) Extend(n int) {
	if len(t.shown) == 0 {
		return
	}
	if t.anchor == "" {
		t.startRange()
	}
	t.moveTo(t.place + n)
	t.paintRange()
}

// ToggleRange begins a range at the cursor, or ends the one that is going on.
func (t *Table[R]) ToggleRange() {
	if t.ranging {
		t.ranging, t.anchor = false, ""
		return
	}
	if len(t.shown) == 0 {
		return
	}
	t.startRange()
	t.ranging = true
	t.paintRange()
}

// Ranging reports whether a range that v began is going on.
func (t *Table[R]) Ranging() bool { return t.ranging }

func (t *Table[R]) startRange() {
	t.anchor = t.cursor
	t.before = map[string]bool{}
	for _, e := range t.all {
		if e.marked {
			t.before[e.id] = true
		}
	}
}

// paintRange marks from anchor to cursor on top of what was marked before.
func (t *Table[R]) paintRange() {
	from := t.place
	if e := t.byID[t.anchor]; e != nil && e.shown {
		for i, x := range t.shown {
			if x == e {
				from = i
				break
			}
		}
	} else {
		t.anchor = t.cursor
	}
	low, high := min(from, t.place), max(from, t.place)
	for i, e := range t.shown {
		t.mark(e, t.before[e.id] || low <= i && i <= high)
	}
}

func (t *Table[R]) mark(e *entry[R], marked bool) {
	if e.marked == marked {
		return
	}
	e.marked = marked
	if marked {
		t.marks++
	} else {
		t.marks--
	}
}

// ToggleMark marks or unmarks the row under the cursor and goes one down.
func (t *Table[R]) ToggleMark() {
	if len(t.shown) == 0 {
		return
	}
	e := t.shown[t.place]
	t.mark(e, !e.marked)
	t.ranging, t.anchor = false, ""
	t.moveTo(t.place + 1)
}

// MarkShown marks all that the filter shows.
func (t *Table[R]) MarkShown() {
	t.endRange()
	for _, e := range t.shown {
		t.mark(e, true)
	}
}

// Invert turns the marks of all that the filter shows around.
func (t *Table[R]) Invert() {
	t.endRange()
	for _, e := range t.shown {
		t.mark(e, !e.marked)
	}
}

// Unmark takes all marks away, those that the filter hides too.
func (t *Table[R]) Unmark() {
	t.endRange()
	for _, e := range t.all {
		t.mark(e, false)
	}
}

// MarkOnly marks these rows and no other.
func (t *Table[R]) MarkOnly(ids []string) {
	t.Unmark()
	for _, id := range ids {
		if e := t.byID[id]; e != nil {
			t.mark(e, true)
		}
	}
}

// UnmarkThese takes the marks of these rows away.
func (t *Table[R]) UnmarkThese(ids []string) {
	for _, id := range ids {
		if e := t.byID[id]; e != nil {
			t.mark(e, false)
		}
	}
}

func (t *Table[R]) endRange() { t.ranging, t.anchor = false, "" }

// Marks is how many rows are marked, and how many of them the filter hides.
func (t *Table[R]) Marks() (all, hidden int) {
	if t.marks == 0 {
		return 0, 0
	}
	shown := 0
	for _, e := range t.shown {
		if e.marked {
			shown++
		}
	}
	return t.marks, t.marks - shown
}

// Marking reports whether any row is marked.
func (t *Table[R]) Marking() bool { return t.marks > 0 }

// Marked is the marked rows in the order of the list.
func (t *Table[R]) Marked() []R {
	out := make([]R, 0, t.marks)
	for _, e := range t.all {
		if e.marked {
			out = append(out, e.row)
		}
	}
	return out
}

// Chosen is the marked rows, or the one under the cursor where none is.
func (t *Table[R]) Chosen() []R {
	if t.marks > 0 {
		return t.Marked()
	}
	if r, ok := t.Cursor(); ok {
		return []R{r}
	}
	return nil
}

// NearEnd reports whether the cursor is within a page of the last row.
func (t *Table[R]) NearEnd() bool { return t.place+t.height >= len(t.shown) }

// AtTop reports whether the cursor is on the first row.
func (t *Table[R]) AtTop() bool { return t.place == 0 }
