package jsonlog

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ipxe-all-ready/internal/fault"
)

type event struct {
	Op   string `json:"op"`
	Note string `json:"note,omitempty"`
}

func logPath(t *testing.T) string { return filepath.Join(t.TempDir(), "state", "operations.jsonl") }

func open(t *testing.T, path string) *Log {
	t.Helper()
	l, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func openWith(t *testing.T, content string) *Log {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

func add(t *testing.T, l *Log, op string) int64 {
	t.Helper()
	id, err := l.Append(context.Background(), event{Op: op})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func content(t *testing.T, l *Log) string {
	t.Helper()
	b, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func ids(t *testing.T, entries []json.RawMessage) []int64 {
	t.Helper()
	out := []int64{}
	for _, e := range entries {
		id, ok := recordID(e)
		if !ok || !json.Valid(e) {
			t.Fatalf("%s is no record", e)
		}
		out = append(out, id)
	}
	return out
}

func all(t *testing.T, l *Log) []int64 {
	t.Helper()
	entries, _, err := l.Read(0, 1<<30, Filter{})
	if err != nil {
		t.Fatal(err)
	}
	return ids(t, entries)
}

func wantIDs(t *testing.T, got []int64, want ...int64) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("got ids %v, want %v", got, want)
	}
}

func TestRecordsGetIDsFromOneThatStandFirstInTheirLine(t *testing.T) {
	l := open(t, logPath(t))
	add(t, l, "a")
	add(t, l, "b\n<&>")
	if _, err := l.Append(context.Background(), struct{}{}); err != nil {
		t.Fatal(err)
	}
	want := `{"id":1,"op":"a"}` + "\n" + `{"id":2,"op":"b\n\u003c\u0026\u003e"}` + "\n" + `{"id":3}` + "\n"
	if got := content(t, l); got != want {
		t.Fatalf("got\n%swant\n%s", got, want)
	}
}

func TestIDsGoOnAfterAReopen(t *testing.T) {
	path := logPath(t)
	l := open(t, path)
	add(t, l, "a")
	add(t, l, "b")
	l.Close()
	l = open(t, path)
	if id := add(t, l, "c"); id != 3 || l.Last() != 3 {
		t.Fatalf("got id %d, last %d", id, l.Last())
	}
	wantIDs(t, all(t, l), 1, 2, 3)
}

func TestRecordsOfOneCallHaveIDsInARow(t *testing.T) {
	l := open(t, logPath(t))
	first, err := l.AppendAll(context.Background(), []any{event{Op: "a"}, event{Op: "b"}, event{Op: "c"}})
	if err != nil || first != 1 {
		t.Fatal(first, err)
	}
	if id, err := l.AppendAll(context.Background(), nil); id != 0 || err != nil {
		t.Fatal(id, err)
	}
	if id := add(t, l, "d"); id != 4 {
		t.Fatalf("got id %d", id)
	}
}

func TestManyAppendersGetDistinctIDsWithoutGaps(t *testing.T) {
	const goroutines, each = 50, 20
	var heard []int64
	l, err := Open(logPath(t), Options{Committed: func(id int64, line json.RawMessage) {
		if got, ok := recordID(line); !ok || got != id {
			t.Errorf("%s was told as %d", line, id)
		}
		heard = append(heard, id)
	}})
	if err != nil {
		t.Fatal(err)
	}
	seen := make([]bool, goroutines*each+1)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range each {
				id, err := l.Append(context.Background(), event{Op: "x"})
				mu.Lock()
				if err != nil || seen[id] {
					t.Errorf("id %d: seen %v, %v", id, seen[id], err)
				}
				seen[id] = true
				mu.Unlock()
				if entries, _, err := l.Read(id-1, 1, Filter{}); err != nil || len(entries) != 1 {
					t.Errorf("record %d cannot be read: %v", id, err)
				}
			}
		})
	}
	wg.Wait()
	l.Close()
	if len(heard) != goroutines*each {
		t.Fatalf("heard of %d records", len(heard))
	}
	for i, id := range heard {
		if id != int64(i+1) {
			t.Fatalf("record %d was told at place %d", id, i+1)
		}
	}
}

func TestARecordThatIsNoObjectIsRefused(t *testing.T) {
	l := open(t, logPath(t))
	for _, r := range []any{"text", 5, nil, []int{1}, make(chan int), event{Note: strings.Repeat("x", maxLine)}} {
		if _, err := l.Append(context.Background(), r); err == nil {
			t.Errorf("%T was taken", r)
		}
	}
	if got := content(t, l); got != "" {
		t.Fatalf("the file holds %q", got)
	}
}

type broken struct{}

func (broken) MarshalJSON() ([]byte, error) { panic("no such thing") }

func TestARecordThatCannotBeEncodedHarmsNoOther(t *testing.T) {
	l := open(t, logPath(t))
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if i%2 == 0 {
				add(t, l, "good")
			} else if _, err := l.Append(context.Background(), broken{}); fault.KindOf(err) != fault.Internal {
				t.Errorf("a broken record: %v", err)
			}
		})
	}
	wg.Wait()
	wantIDs(t, all(t, l), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
}

func TestTheLongestRecordIsReadBackAfterAReopen(t *testing.T) {
	path := logPath(t)
	l := open(t, path)
	long := event{Note: strings.Repeat("x", maxLine-200)}
	if _, err := l.Append(context.Background(), long); err != nil {
		t.Fatal(err)
	}
	add(t, l, "after")
	wantIDs(t, all(t, l), 1, 2)
	l.Close()
	wantIDs(t, all(t, open(t, path)), 1, 2)
}

func TestAppendWithAnEndedContextWritesNothing(t *testing.T) {
	l := open(t, logPath(t))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Append(ctx, event{Op: "a"}); !fault.Is(err, fault.Unavailable) {
		t.Fatal(err)
	}
	if id := add(t, l, "b"); id != 1 {
		t.Fatalf("got id %d", id)
	}
}

func TestAnAppendWhoseContextEndsIsWithdrawnUnlessItsWriteIsUnderWay(t *testing.T) {
	l := open(t, logPath(t))
	entered, release := make(chan struct{}), make(chan struct{})
	write := l.write
	l.write = func(b []byte) (int, error) {
		entered <- struct{}{}
		<-release
		return write(b)
	}
	firstCtx, cancelFirst := context.WithCancel(context.Background())
	first := make(chan error)
	go func() { _, err := l.Append(firstCtx, event{Op: "first"}); first <- err }()
	<-entered
	cancelFirst()
	ctx, cancel := context.WithCancel(context.Background())
	second := make(chan error)
	go func() { _, err := l.Append(ctx, event{Op: "second"}); second <- err }()
	cancel()
	if err := <-second; !fault.Is(err, fault.Unavailable) {
		t.Fatal(err)
	}
	close(release)
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	wantIDs(t, all(t, l), 1)
}

func TestAfterCloseAppendsAndReadsFail(t *testing.T) {
	l := open(t, logPath(t))
	add(t, l, "a")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(context.Background(), event{}); !fault.Is(err, fault.Unavailable) {
		t.Error(err)
	}
	if _, _, err := l.Read(0, 1, Filter{}); !fault.Is(err, fault.Unavailable) {
		t.Error(err)
	}
}

func TestAPathThatIsNoFileIsRefused(t *testing.T) {
	if _, err := Open(t.TempDir(), Options{}); !fault.Is(err, fault.Unavailable) {
		t.Error(err)
	}
	if _, err := Open(os.DevNull, Options{}); !fault.Is(err, fault.Unavailable) {
		t.Error(err)
	}
}
