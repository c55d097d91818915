package jsonlog

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/fault"
)

func TestWhatOthersLeftInTheFileIsKeptAndPassedOver(t *testing.T) {
	long := strings.Repeat("x", 3*maxLine)
	for _, c := range []struct {
		name, content string
		want          []int64 // before the next append
		next          int64
	}{
		{"an empty file", "", nil, 1},
		{"only newlines", "\n\n\n", nil, 1},
		{"text", "hello\n", nil, 1},
		{"a torn last line", `{"id":1,"op":"a"}` + "\n" + `{"id":2,"op":"b","x":{"y":1}`, []int64{1}, 2},
		{"a torn line mended by an earlier run", `{"id":1,"op":"a"}` + "\n" + `{"id":2,"x":{"y":1}` + "\n" + `{"id":2,"op":"b"}` + "\n", []int64{1, 2}, 3},
		{"a line torn short in the middle", `{"id":1,"op":"a"}` + "\n" + `{"id":9,"op":"b` + "\n", []int64{1}, 2},
		{"a whole last line without its newline", `{"id":1,"op":"a"}` + "\n" + `{"id":2,"op":"b"}`, []int64{1, 2}, 3},
		{"only a torn line", `{"id":1,`, nil, 1},
		{"CRLF", `{"id":1,"op":"a"}` + "\r\n" + `{"id":2,"op":"b"}` + "\r\n", []int64{1, 2}, 3},
		{"Python's spacing", `{"id": 1, "op": "a"}` + "\n", []int64{1}, 2},
		{"an id in another place", `{"op":"a", "id" : 7}` + "\n", []int64{7}, 8},
		{"no id", `{"op":"a"}` + "\n" + `{"id":2,"op":"b"}` + "\n", []int64{2}, 3},
		{"ids that are none", `{"id":"5"}` + "\n" + `{"id":-1}` + "\n" + `{"id":0}` + "\n" + `{"id":1.5}` + "\n" + `{"id":1e3}` + "\n" + `{"id":99999999999999999999}` + "\n", nil, 1},
		{"another JSON value", "[1]\n5\nnull\n", nil, 1},
		{"ids out of order", `{"id":9,"op":"a"}` + "\n" + `{"id":3,"op":"b"}` + "\n", []int64{9, 3}, 10},
		{"bytes that are no text", "\x00\xff\xfe{\n" + `{"id":4}` + "\n", []int64{4}, 5},
		{"a line longer than any record", long + "\n" + `{"id":4}` + "\n", []int64{4}, 5},
		{"a long record", `{"id":3,"x":"` + long + `"}` + "\n" + `{"id":4}` + "\n", []int64{4}, 5},
		{"a long line to the end", `{"id":4}` + "\n" + long, []int64{4}, 5},
		{"a record inside a long line", `{"id":4}` + "\n" + long[:maxLine] + `{"id":6}` + "\n", []int64{4}, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := openWith(t, c.content)
			wantIDs(t, all(t, l), c.want...)
			if id := add(t, l, "next"); id != c.next {
				t.Fatalf("got id %d, want %d", id, c.next)
			}
			wantIDs(t, all(t, l), append(c.want, c.next)...)
			if !strings.HasPrefix(content(t, l), c.content) {
				t.Fatal("the old content was changed")
			}
			l.Close()
			reopened := open(t, l.path)
			wantIDs(t, all(t, reopened), append(c.want, c.next)...)
			tail, err := reopened.Tail(1, Filter{})
			if err != nil {
				t.Fatal(err)
			}
			wantIDs(t, ids(t, tail), c.next)
		})
	}
}

func TestAFailedWriteLeavesNothingBehindAndLaterOnesWork(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want fault.Kind
	}{
		{"a full disk", syscall.ENOSPC, fault.NoSpace},
		{"a full quota", syscall.EDQUOT, fault.NoSpace},
		{"a broken disk", syscall.EIO, fault.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := openWith(t, `{"id":1}`+"\n"+`{"id":2,`)
			before := content(t, l)
			write := l.write
			l.write = func(b []byte) (int, error) {
				n, _ := write(b[:len(b)/2])
				return n, &os.PathError{Op: "write", Path: l.path, Err: c.err}
			}
			if id, err := l.Append(context.Background(), event{Op: "lost"}); !fault.Is(err, c.want) || !errors.Is(err, c.err) || id != 0 {
				t.Fatal(id, err)
			}
			if got := content(t, l); got != before {
				t.Fatalf("the file holds %q", got)
			}
			l.write = write
			if id := add(t, l, "kept"); id != 2 {
				t.Fatalf("got id %d", id)
			}
			if got, want := content(t, l), before+"\n"+`{"id":2,"op":"kept"}`+"\n"; got != want {
				t.Fatalf("got %q, want %q", got, want)
			}
		})
	}
}

func TestWhatOthersAppendWhileOpenIsReadAndSwallowsNoLaterRecord(t *testing.T) {
	l := openWith(t, `{"id":1}`+"\n")
	add(t, l, "two")
	stray, err := os.OpenFile(l.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer stray.Close()
	if _, err := stray.WriteString(`{"id":3,"op":"by hand"}` + "\n" + `{"id":4,"op":"to`); err != nil {
		t.Fatal(err)
	}
	if id := add(t, l, "next"); id != 4 {
		t.Fatalf("got id %d", id)
	}
	wantIDs(t, all(t, l), 1, 2, 3, 4)
}

func TestAFileCutShortWhileOpenGivesNoIDTwice(t *testing.T) {
	l := open(t, logPath(t))
	add(t, l, "a")
	add(t, l, "b")
	if err := os.Truncate(l.path, 0); err != nil {
		t.Fatal(err)
	}
	if id := add(t, l, "c"); id != 3 {
		t.Fatalf("got id %d", id)
	}
	wantIDs(t, all(t, l), 3)
}
