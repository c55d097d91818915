package jsonlog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// thousands writes n records over many blocks; every tenth is rare.
func thousands(t *testing.T, n int) *Log {
	t.Helper()
	var b strings.Builder
	for i := 1; i <= n; i++ {
		op := "common"
		if i%10 == 0 {
			op = "rare"
		}
		fmt.Fprintf(&b, `{"id":%d,"op":"%s","note":"%s"}`+"\n", i, op, strings.Repeat("x", i%200))
	}
	return openWith(t, b.String())
}

func span(from, to int64) []int64 {
	out := []int64{}
	for i := from; i <= to; i++ {
		out = append(out, i)
	}
	return out
}

func TestReadGivesWhatFollowsACursor(t *testing.T) {
	l := thousands(t, 5000)
	for _, c := range []struct {
		since int64
		limit int
		want  []int64
		next  int64
	}{
		{0, 3, span(1, 3), 3},
		{-5, 1, span(1, 1), 1},
		{511, 3, span(512, 514), 514},
		{4990, 1000, span(4991, 5000), 5000},
		{100, 2000, span(101, 2100), 2100},
		{5000, 10, nil, 5000},
		{9999, 10, nil, 9999},
		{0, 0, nil, 0},
	} {
		t.Run(fmt.Sprintf("since %d limit %d", c.since, c.limit), func(t *testing.T) {
			entries, next, err := l.Read(c.since, c.limit, Filter{})
			if err != nil {
				t.Fatal(err)
			}
			wantIDs(t, ids(t, entries), c.want...)
			if next != c.next {
				t.Fatalf("next is %d, want %d", next, c.next)
			}
		})
	}
}

func TestTailAndBeforeGiveTheNewestOldestFirst(t *testing.T) {
	l := thousands(t, 5000)
	for _, c := range []struct {
		before int64
		n      int
		want   []int64
	}{
		{5001, 3, span(4998, 5000)},
		{9999, 2, span(4999, 5000)},
		{5000, 1500, span(3500, 4999)},
		{3, 10, span(1, 2)},
		{1, 10, nil},
		{0, 10, nil},
		{2000, 0, nil},
	} {
		entries, err := l.Before(c.before, c.n, Filter{})
		if err != nil {
			t.Fatal(err)
		}
		wantIDs(t, ids(t, entries), c.want...)
	}
	tail, err := l.Tail(2, Filter{})
	if err != nil {
		t.Fatal(err)
	}
	wantIDs(t, ids(t, tail), 4999, 5000)
}

func TestAFilterChoosesRecordsInBothDirections(t *testing.T) {
	l := thousands(t, 2000)
	over := func(line json.RawMessage) bool {
		var r struct{ ID int64 }
		return json.Unmarshal(line, &r) == nil && r.ID > 1000
	}
	f := Filter{Contains: [][]byte{[]byte(`"rare"`)}, Keep: over}
	entries, next, err := l.Read(0, 3, f)
	if err != nil || next != 1030 {
		t.Fatal(next, err)
	}
	wantIDs(t, ids(t, entries), 1010, 1020, 1030)
	if entries, err = l.Tail(2, f); err != nil {
		t.Fatal(err)
	}
	wantIDs(t, ids(t, entries), 1990, 2000)
	if entries, err = l.Before(1030, 5, f); err != nil {
		t.Fatal(err)
	}
	wantIDs(t, ids(t, entries), 1010, 1020)
	if entries, next, err = l.Read(40, 3, Filter{Contains: [][]byte{[]byte("absent")}}); len(entries) > 0 || next != 40 || err != nil {
		t.Fatal(entries, next, err)
	}
}

func TestEntriesOutliveTheNextRead(t *testing.T) {
	l := thousands(t, 3000)
	entries, _, err := l.Read(0, 2, Filter{})
	if err != nil {
		t.Fatal(err)
	}
	before := bytes.Clone(entries[0])
	if _, _, err := l.Read(0, 3000, Filter{}); err != nil || !bytes.Equal(before, entries[0]) {
		t.Fatal("a later read changed an entry", err)
	}
}

func TestOpenTellsOfEveryRecord(t *testing.T) {
	l := openWith(t, `{"id":1,"op":"a"}`+"\r\n"+"garbage\n"+`{"id":2}`)
	l.Close()
	var got []string
	l, err := Open(l.path, Options{Found: func(id int64, line []byte) { got = append(got, fmt.Sprintf("%d %s", id, line)) }})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if want := `[1 {"id":1,"op":"a"} 2 {"id":2}]`; fmt.Sprint(got) != want {
		t.Fatalf("got %v, want %s", got, want)
	}
}

func FuzzOpenToleratesAnyFile(f *testing.F) {
	f.Add([]byte(`{"id":1,"op":"a"}` + "\n" + `{"id":2,`))
	f.Add([]byte("{\"id\": 3}\r\n\x00\n{\"x\":{\"id\":9}}"))
	f.Add([]byte(`{"id":9007199254740991}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := openWith(t, string(data))
		if l.Last() == maxID {
			return // no id is left, as after nine million years of a billion a year
		}
		before := all(t, l)
		top := l.Last()
		if id := add(t, l, "next"); id != top+1 {
			t.Fatalf("got id %d after %d", id, top)
		}
		wantIDs(t, all(t, l), append(before, top+1)...)
	})
}
