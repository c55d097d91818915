package table

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/theme"
)

type machine struct {
	id, state, os string
	asked         *int
}

func newTable(rows ...machine) *Table[machine] {
	t := New(Options[machine]{
		ID:     func(m machine) string { return m.id },
		Base:   func(m machine) string { return cell.NaturalKey(m.id) },
		Search: func(m machine) string { return m.id + " " + m.state + " " + m.os },
		Field: func(m machine, name string) (string, bool) {
			switch name {
			case "state":
				return m.state, true
			case "os":
				return m.os, true
			}
			return "", false
		},
		Fields: []string{"state", "os"},
		Columns: []Column[machine]{
			{Title: "ID", Min: 8, Grow: 1, Text: func(m machine) string {
				if m.asked != nil {
					*m.asked++
				}
				return m.id
			}},
			{Title: "STATE", Min: 8, Drop: 1, Text: func(m machine) string { return m.state }},
			{Title: "OS", Min: 8, Drop: 2, Text: func(m machine) string { return m.os }},
		},
	})
	t.Set(rows)
	return t
}

func numbered(n int) (out []machine) {
	for i := range n {
		out = append(out, machine{id: fmt.Sprintf("w-%d", i+1), state: []string{"ready", "registered"}[i%2], os: "ubuntu"})
	}
	return out
}

func ids(rows []machine) string {
	var out []string
	for _, r := range rows {
		out = append(out, r.id)
	}
	return strings.Join(out, " ")
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func cursor(t *Table[machine]) string { r, _ := t.Cursor(); return r.id }

func TestNumbersSortAsNumbers(t *testing.T) {
	x := newTable(machine{id: "w-10"}, machine{id: "w-2"}, machine{id: "w-1"}, machine{id: "w-02b"})
	want(t, "order", ids(x.Rows()), "w-1 w-2 w-02b w-10")
	x.SortReverse()
	want(t, "turned around", ids(x.Rows()), "w-10 w-02b w-2 w-1")
}

func TestASortKeepsTheNaturalOrderAmongEquals(t *testing.T) {
	x := newTable(numbered(6)...)
	x.SortNext()
	x.SortNext() // by state
	want(t, "by state", ids(x.Rows()), "w-1 w-3 w-5 w-2 w-4 w-6")
	x.SortNext()
	x.SortNext() // none again
	want(t, "as it was", ids(x.Rows()), "w-1 w-2 w-3 w-4 w-5 w-6")
}

func TestCursorAndMarksBelongToRows(t *testing.T) {
	x := newTable(numbered(9)...)
	x.Move(4)
	x.ToggleMark()
	x.Move(-1)
	want(t, "cursor", cursor(x), "w-5")
	x.Set(slices.Concat([]machine{{id: "a-1"}, {id: "a-2"}}, numbered(9)))
	want(t, "after a refresh", cursor(x), "w-5")
	x.SortReverse()
	want(t, "after a sort", cursor(x), "w-5")
	x.Filter("w-5")
	want(t, "after a filter", cursor(x), "w-5")
	x.Filter("")
	x.Put(machine{id: "w-5", state: "failed"}, machine{id: "a-3"})
	want(t, "after a change", cursor(x), "w-5")
	want(t, "marks", ids(x.Marked()), "w-5")
	x.Delete("w-5")
	if all, _ := x.Marks(); all != 0 || cursor(x) == "w-5" {
		t.Errorf("the row is gone and marked still: %d, cursor %s", all, cursor(x))
	}
}

func TestTheCursorOfAVanishedRowGoesToItsNeighbour(t *testing.T) {
	x := newTable(numbered(5)...)
	x.Move(2)
	x.Delete("w-3")
	want(t, "cursor", cursor(x), "w-4")
	x.Move(9)
	x.Delete("w-5")
	want(t, "at the end", cursor(x), "w-4")
}

func TestAFilterKnowsFieldsAndWords(t *testing.T) {
	x := newTable(machine{id: "w-1", state: "ready", os: "ubuntu"}, machine{id: "w-2", state: "ready", os: "debian"}, machine{id: "x-3", state: "failed", os: "debian"})
	for filter, found := range map[string]string{
		"": "w-1 w-2 x-3", "w-": "w-1 w-2", "state:ready": "w-1 w-2", "STATE:READY os:deb": "w-2", "os:debian x": "x-3", "nothing": "",
		"colour:red": "", "debian ready": "w-2",
	} {
		x.Filter(filter)
		want(t, filter, ids(x.Rows()), found)
	}
}

func TestMarksThatTheFilterHidesAreCounted(t *testing.T) {
	x := newTable(numbered(6)...)
	x.MarkShown()
	x.Filter("state:ready")
	if all, hidden := x.Marks(); all != 6 || hidden != 3 {
		t.Errorf("%d marked, %d hidden", all, hidden)
	}
	x.Invert()
	want(t, "inverted is what is shown", ids(x.Marked()), "w-2 w-4 w-6")
	x.Unmark()
	if all, _ := x.Marks(); all != 0 {
		t.Errorf("%d marked", all)
	}
}

func TestARangeGrowsAndShrinksFromItsAnchor(t *testing.T) {
	x := newTable(numbered(9)...)
	x.ToggleMark() // w-1, by itself
	x.Move(2)      // to w-4
	x.Extend(1)
	x.Extend(1)
	x.Extend(1)
	want(t, "down", ids(x.Marked()), "w-1 w-4 w-5 w-6 w-7")
	x.Extend(-2)
	want(t, "back", ids(x.Marked()), "w-1 w-4 w-5")
	x.Extend(-3)
	want(t, "over the anchor", ids(x.Marked()), "w-1 w-2 w-3 w-4")
	x.Extend(99)
	want(t, "to the end", ids(x.Marked()), "w-1 w-4 w-5 w-6 w-7 w-8 w-9")
}

func TestVStartsARangeThatAnyMoveExtends(t *testing.T) {
	x := newTable(numbered(30)...)
	x.ToggleRange()
	x.Move(x.Page())
	if all, _ := x.Marks(); all != x.Page()+1 || !x.Ranging() {
		t.Errorf("%d marked", all)
	}
	x.Move(-x.Page() + 1)
	want(t, "back", ids(x.Marked()), "w-1 w-2")
	x.ToggleRange()
	x.Move(5)
	want(t, "ended", ids(x.Marked()), "w-1 w-2")
}

func TestARangeFollowsTheOrderOnScreen(t *testing.T) {
	x := newTable(numbered(8)...)
	x.Filter("state:ready")
	x.SortReverse()
	x.Move(-9)
	x.Extend(2)
	want(t, "marked", ids(x.Marked()), "w-7 w-5 w-3")
}

func TestARangeSurvivesARefresh(t *testing.T) {
	x := newTable(numbered(9)...)
	x.Move(2)
	x.Extend(1)
	x.Set(append(numbered(9), machine{id: "a-1"}))
	x.Extend(1)
	want(t, "marked", ids(x.Marked()), "w-3 w-4 w-5")
}

func TestOnlyRowsOnScreenAreRendered(t *testing.T) {
	asked := 0
	rows := numbered(10000)
	for i := range rows {
		rows[i].asked = &asked
	}
	x := newTable(rows...)
	asked = 0
	x.View(theme.New(theme.Options{}), 80, 24, "")
	if asked != 23 {
		t.Errorf("%d rows were asked for their text", asked)
	}
}

func TestEveryViewFitsItsWindow(t *testing.T) {
	x := newTable(machine{id: "机器-一号-很长的名字", state: "就绪"}, machine{id: "w\x1b[2J\n1", os: strings.Repeat("长", 90)})
	th := theme.New(theme.Options{Colour: true, Dark: true})
	for _, w := range []int{1, 5, 12, 20, 33, 80, 200} {
		for _, h := range []int{1, 2, 7, 24} {
			lines := x.View(th, w, h, "nothing here")
			if len(lines) != h {
				t.Errorf("%dx%d: %d lines", w, h, len(lines))
			}
			for _, l := range lines {
				if cell.Width(l) != w || strings.Contains(l, "\x1b[2J") {
					t.Errorf("%dx%d: %q is %d wide", w, h, l, cell.Width(l))
				}
			}
		}
	}
}

func TestNarrowWindowsDropTheLeastNeededColumnsFirst(t *testing.T) {
	x := newTable(numbered(1)...)
	heads := []string{}
	for _, w := range []int{40, 24, 14} {
		heads = append(heads, strings.Join(strings.Fields(x.View(theme.New(theme.Options{}), w, 2, "")[0])[0:], " "))
	}
	for i, want := range []string{"ID STATE OS", "ID STATE", "ID"} {
		if !strings.Contains(heads[i], want) || i > 0 && strings.Contains(heads[i], "OS") {
			t.Errorf("%q, want %q", heads[i], want)
		}
	}
}

func TestManyChangesAtOnceKeepOrderAndMarks(t *testing.T) {
	x := newTable(numbered(500)...)
	x.Move(199)
	x.ToggleMark()
	changed := numbered(600)
	for i := range changed {
		changed[i].state = "failed"
	}
	x.Put(changed...)
	if x.Len() != 600 || ids(x.Marked()) != "w-200" || cursor(x) != "w-201" {
		t.Errorf("%d rows, marked %s, cursor %s", x.Len(), ids(x.Marked()), cursor(x))
	}
	x.Filter("state:failed")
	if x.Shown() != 600 || x.Rows()[9].id != "w-10" {
		t.Errorf("%d shown", x.Shown())
	}
}

func TestAClickFindsItsRow(t *testing.T) {
	x := newTable(numbered(50)...)
	x.View(theme.New(theme.Options{}), 40, 10, "")
	x.Move(30)
	x.View(theme.New(theme.Options{}), 40, 10, "")
	if !x.Click(1, false) || cursor(x) != "w-23" {
		t.Errorf("cursor %s", cursor(x))
	}
	if x.Click(0, false) || x.Click(10, false) {
		t.Error("the head and what is below are no rows")
	}
	x.Click(3, true)
	want(t, "marked", ids(x.Marked()), "w-23 w-24 w-25")
}

func TestAFieldThatTheTableDoesNotHaveIsNamedAndAnAddressIsNone(t *testing.T) {
	x := newTable(numbered(3)...)
	for filter, want := range map[string]string{"foo:bar": "foo", "state:ready foo:": "foo", "state:ready": "", "aa:bb:cc": "", "52:54": "", "iqn.2026-07.com.example:w": "", "12:30": ""} {
		x.Filter(filter)
		if got, fields := x.Unknown(); got != want || got != "" && len(fields) != 2 {
			t.Errorf("%s: %q %v", filter, got, fields)
		}
	}
}
