package table

import (
	"cmp"
	"slices"
	"strings"

	"ipxe-all-ready/tui/cell"
)

func (t *Table[R]) sortKey(r R) string {
	if t.sort < 0 || t.sort >= len(t.o.Columns) {
		return ""
	}
	c := t.o.Columns[t.sort]
	if c.Key != nil {
		return c.Key(r)
	}
	return cell.NaturalKey(c.Text(r))
}

// compare is the order on screen; the default order settles what a column
// leaves open.
func (t *Table[R]) compare(a, b *entry[R]) int {
	if t.sort >= 0 {
		if c := cmp.Compare(a.key, b.key); c != 0 {
			if t.back {
				return -c
			}
			return c
		}
	}
	if c := cmp.Compare(a.base, b.base); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id))
}

func (t *Table[R]) order() {
	if !slices.IsSortedFunc(t.all, t.compare) {
		slices.SortFunc(t.all, t.compare)
	}
}

// SortNext sorts by the next column, after the last one by none.
func (t *Table[R]) SortNext() {
	t.sort++
	if t.sort >= len(t.o.Columns) {
		t.sort = -1
	}
	t.resort()
}

// SortReverse turns the order of the column around.
func (t *Table[R]) SortReverse() {
	if t.sort < 0 {
		t.sort = 0
	}
	t.back = !t.back
	t.resort()
}

func (t *Table[R]) resort() {
	for _, e := range t.all {
		e.key = t.sortKey(e.row)
	}
	t.order()
	t.refilter()
}

// Filter shows only the rows that match: each word is a substring, or
// field:value where the table knows the field.
func (t *Table[R]) Filter(text string) {
	t.filter = text
	t.refilter()
}

// Filtered is the text of the filter.
func (t *Table[R]) Filtered() string { return t.filter }

func terms(filter string) []string { return strings.Fields(strings.ToLower(filter)) }

func (t *Table[R]) refilter() {
	words := terms(t.filter)
	t.shown = t.shown[:0]
	for _, e := range t.all {
		if e.shown = t.match(e, words); e.shown {
			t.shown = append(t.shown, e)
		}
	}
	t.settle()
}

func (t *Table[R]) match(e *entry[R], words []string) bool {
	for _, w := range words {
		if !t.matchWord(e, w) {
			return false
		}
	}
	return true
}

func (t *Table[R]) matchWord(e *entry[R], word string) bool {
	name, value, isField := strings.Cut(word, ":")
	if isField && t.o.Field != nil {
		if got, known := t.o.Field(e.row, name); known {
			return strings.Contains(strings.ToLower(got), value)
		}
	}
	return strings.Contains(e.text, word)
}
