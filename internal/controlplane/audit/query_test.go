package audit

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestQueriesGivePagesWithTheirCursor(t *testing.T) {
	l, _ := fresh(t)
	for i := range 10 {
		s := start(t, l, OpDiskCreate, Fields{WorkerID: fmt.Sprintf("worker-%02d", i)})
		must(t, s.Succeed(ctx, Fields{}))
	}
	must(t, l.Once(ctx, OpAutoRegister, Fields{WorkerID: "worker-03", Extra: map[string]any{"note": "worker.disk.create"}}))
	for _, c := range []struct {
		name string
		q    Query
		want []int64
		next int64
	}{
		{"all", Query{}, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21}, 21},
		{"a first page", Query{Limit: 2}, []int64{1, 2}, 2},
		{"the next page", Query{Since: 2, Limit: 3}, []int64{3, 4, 5}, 5},
		{"a negative cursor", Query{Since: -1, Limit: 1}, []int64{1}, 1},
		{"nothing new", Query{Since: 21}, nil, 21},
		{"the newest", Query{Tail: 3}, []int64{19, 20, 21}, 21},
		{"those before", Query{Before: 5, Limit: 2}, []int64{3, 4}, 4},
		{"those before by tail", Query{Before: 5, Tail: 3}, []int64{2, 3, 4}, 4},
		{"none before", Query{Before: 1}, nil, 0},
		{"by op", Query{Op: OpAutoRegister}, []int64{21}, 21},
		{"by status", Query{Status: Succeeded, Tail: 2}, []int64{18, 20}, 20},
		{"by worker", Query{WorkerID: "worker-03"}, []int64{7, 8, 21}, 21},
		{"by all three", Query{WorkerID: "worker-03", Op: OpDiskCreate, Status: Started}, []int64{7}, 7},
		{"by what is not there", Query{WorkerID: "worker-99", Since: 3}, nil, 3},
		{"the newest of what is not there", Query{WorkerID: "worker-99", Tail: 5}, nil, 21},
		{"by a part of a name", Query{WorkerID: "worker-0"}, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			page, err := l.Query(c.q)
			must(t, err)
			var got []int64
			for _, e := range page.Entries {
				got = append(got, lastID([]json.RawMessage{e}, 0))
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) || page.NextCursor != c.next {
				t.Fatalf("got %v next %d, want %v next %d", got, page.NextCursor, c.want, c.next)
			}
			if wire, err := json.Marshal(page); err != nil || strings.Contains(string(wire), "null") {
				t.Fatalf("%s %v", wire, err)
			}
		})
	}
}

func BenchmarkOpenAndRareFilterOfAMillionEntries(b *testing.B) {
	path := filepath.Join(b.TempDir(), "operations.jsonl")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	for i := 1; i <= 1_000_000; i += 2 {
		fmt.Fprintf(f, `{"id":%d,"ts":"2026-07-01T08:00:00.000Z","op":"worker.disk.create","status":"started","worker_id":"worker-%05d","agent":"storage-1","client":"192.168.80.20"}`+"\n"+
			`{"id":%d,"ts":"2026-07-01T08:00:00.000Z","op":"worker.disk.create","status":"succeeded","worker_id":"worker-%05d","agent":"storage-1","client":"192.168.80.20","ref":%d}`+"\n", i, i%10000, i+1, i%10000, i)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			l := Open(path, Options{})
			l.Close()
		}
	})
	l := Open(path, Options{})
	defer l.Close()
	for name, q := range map[string]Query{
		"tail 100":         {Tail: 100},
		"page 1000":        {Since: 500_000},
		"one worker":       {WorkerID: "worker-00777", Tail: 50},
		"a status not met": {Status: Failed, Tail: 50},
		"a frequent op":    {Op: OpDiskCreate, Status: Succeeded, Tail: 1000},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := l.Query(q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
