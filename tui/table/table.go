// Package table is a list of rows that have an identity. Cursor and marks
// belong to rows, not to places, and stay where they are through refresh,
// filter and sort. Only the rows on screen are rendered.
package table

import (
	"slices"
	"strings"

	"ipxe-all-ready/tui/theme"
)

// Column is one column of rows of type R.
type Column[R any] struct {
	Title string // goes through Words
	Min   int    // columns it needs
	Grow  int    // its share of what is left over; 0: stays at Min
	Drop  int    // the highest goes first where the window is narrow; 0 never goes
	Right bool   // set to the right
	Name  bool   // cut in the middle: it is its end that differs
	Text  func(R) string
	Role  func(R) theme.Role // nil: plain
	Key   func(R) string     // what it sorts by; nil: Text in natural order
}

// Options describe a table.
type Options[R any] struct {
	ID      func(R) string
	Columns []Column[R]
	Words   func(string) string            // titles in the language on; nil: as they are
	Search  func(R) string                 // what a substring is looked for in
	Field   func(R, string) (string, bool) // a field by the name in field:value; false: no such field
	Fields  []string                       // the names that Field knows
	Base    func(R) string                 // key of the order before any sort; nil: as given
}

type entry[R any] struct {
	id     string
	row    R
	text   string // lower case
	base   string // key of the order before any sort
	key    string // of the column that sorts
	marked bool
	shown  bool
	at     int // where it came in the list given
}

// Table is the rows and what a person did to them.
type Table[R any] struct {
	o      Options[R]
	byID   map[string]*entry[R]
	all    []*entry[R] // in order
	shown  []*entry[R] // those that the filter lets through, in order
	filter string
	sort   int // column, -1: the default order
	back   bool
	marks  int

	cursor  string          // id
	place   int             // where the cursor was, for when its row goes
	top     int             // first row on screen
	height  int             // rows on screen at the last View
	anchor  string          // of a range; "" for none
	before  map[string]bool // the marks that a range began with
	ranging bool            // v was pressed
}

// New makes an empty table.
func New[R any](o Options[R]) *Table[R] {
	if o.Words == nil {
		o.Words = func(s string) string { return s }
	}
	return &Table[R]{o: o, byID: map[string]*entry[R]{}, sort: -1, height: 10}
}

// Set replaces all rows.
func (t *Table[R]) Set(rows []R) {
	old := t.byID
	t.byID = make(map[string]*entry[R], len(rows))
	t.all = make([]*entry[R], 0, len(rows))
	t.marks = 0
	for i, r := range rows {
		e := t.entry(r)
		e.at = i
		if was := old[e.id]; was != nil && was.marked {
			e.marked = true
			t.marks++
		}
		if t.byID[e.id] != nil {
			continue
		}
		t.byID[e.id] = e
		t.all = append(t.all, e)
	}
	t.order()
	t.refilter()
}

// many is from how many rows on ordering all of them anew costs less than
// finding each one's place.
const many = 64

// Put replaces rows or adds them.
func (t *Table[R]) Put(rows ...R) {
	if len(rows) < many {
		for _, r := range rows {
			t.put(r)
		}
		t.settle()
		return
	}
	for _, r := range rows {
		e := t.entry(r)
		e.at = len(t.all)
		if was := t.byID[e.id]; was != nil {
			e.at, e.marked = was.at, was.marked
			*was = *e
			continue
		}
		t.byID[e.id] = e
		t.all = append(t.all, e)
	}
	t.order()
	t.refilter()
}

func (t *Table[R]) put(r R) {
	e := t.entry(r)
	was := t.byID[e.id]
	e.at = len(t.all)
	if was != nil {
		e.at, e.marked = was.at, was.marked
		t.all = remove(t.all, was, t.compare)
		if was.shown {
			t.shown = remove(t.shown, was, t.compare)
		}
	}
	t.byID[e.id] = e
	t.all = insert(t.all, e, t.compare)
	if e.shown = t.match(e, terms(t.filter)); e.shown {
		t.shown = insert(t.shown, e, t.compare)
	}
}

// Delete takes a row out.
func (t *Table[R]) Delete(id string) {
	was := t.byID[id]
	if was == nil {
		return
	}
	if was.marked {
		t.marks--
	}
	delete(t.byID, id)
	t.all = remove(t.all, was, t.compare)
	if was.shown {
		t.shown = remove(t.shown, was, t.compare)
	}
	t.settle()
}

func (t *Table[R]) entry(r R) *entry[R] {
	e := &entry[R]{id: t.o.ID(r), row: r}
	if t.o.Search != nil {
		e.text = strings.ToLower(t.o.Search(r))
	}
	if t.o.Base != nil {
		e.base = t.o.Base(r)
	}
	e.key = t.sortKey(r)
	return e
}

func insert[R any](in []*entry[R], e *entry[R], compare func(a, b *entry[R]) int) []*entry[R] {
	at, _ := slices.BinarySearchFunc(in, e, compare)
	return slices.Insert(in, at, e)
}

func remove[R any](in []*entry[R], e *entry[R], compare func(a, b *entry[R]) int) []*entry[R] {
	at, _ := slices.BinarySearchFunc(in, e, compare)
	for at < len(in) && in[at] != e && compare(in[at], e) == 0 {
		at++
	}
	if at >= len(in) || in[at] != e { // its order changed under it: look everywhere
		if at = slices.Index(in, e); at < 0 {
			return in
		}
	}
	return slices.Delete(in, at, at+1)
}

// Len is how many rows there are, Shown how many the filter lets through.
func (t *Table[R]) Len() int { return len(t.all) }

// Shown is how many rows the filter lets through.
func (t *Table[R]) Shown() int { return len(t.shown) }

// Row is the row of an id.
func (t *Table[R]) Row(id string) (R, bool) {
	if e := t.byID[id]; e != nil {
		return e.row, true
	}
	var none R
	return none, false
}

// Rows is the rows on screen in their order, those beyond its edges too.
func (t *Table[R]) Rows() []R {
	out := make([]R, 0, len(t.shown))
	for _, e := range t.shown {
		out = append(out, e.row)
	}
	return out
}
