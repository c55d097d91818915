package event

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func ids(events []Event) string {
	var out []string
	for _, e := range events {
		out = append(out, string(e.Kind)+":"+e.ID)
	}
	return strings.Join(out, " ")
}

func publish(h *Hub, n int) {
	for i := range n {
		h.Publish(Worker, Change{Action: "updated", ID: fmt.Sprint(i)})
	}
}

func TestAReaderSeesWhatCameSinceItStarted(t *testing.T) {
	h := NewHub("s", 8)
	publish(h, 2)
	r := h.Read("")
	got, more := r.Next()
	if len(got) != 0 {
		t.Errorf("%s", ids(got))
	}
	publish(h, 1)
	<-more
	if got, _ := r.Next(); ids(got) != "worker:s-3" || string(got[0].Data) != `{"action":"updated","id":"0"}` {
		t.Errorf("%s", ids(got))
	}
}

func TestAReaderGoesOnWhereItWas(t *testing.T) {
	h := NewHub("s", 4)
	publish(h, 6) // 3…6 are kept
	for last, want := range map[string]string{
		"s-6": "", "s-5": "worker:s-6", "s-2": "worker:s-3 worker:s-4 worker:s-5 worker:s-6",
		"s-1": "reset:s-6", "s-7": "reset:s-6", "s-99": "reset:s-6", "other-5": "reset:s-6",
		"s-": "reset:s-6", "s": "reset:s-6", "s--1": "reset:s-6", "garbage": "reset:s-6", "s-18446744073709551615": "reset:s-6",
	} {
		if got, _ := h.Read(last).Next(); ids(got) != want {
			t.Errorf("after %q: %q, want %q", last, ids(got), want)
		}
	}
}

func TestAReaderThatFallsBehindIsTold(t *testing.T) {
	h := NewHub("s", 4)
	r := h.Read("")
	publish(h, 5)
	if got, _ := r.Next(); ids(got) != "reset:s-5" {
		t.Errorf("%s", ids(got))
	}
	publish(h, 1)
	if got, _ := r.Next(); ids(got) != "worker:s-6" {
		t.Errorf("%s", ids(got))
	}
}

func TestWhatCannotBeEncodedIsAReset(t *testing.T) {
	h := NewHub("s", 4)
	r := h.Read("")
	h.Publish(Worker, Change{Object: make(chan int)})
	if got, _ := r.Next(); ids(got) != "reset:s-1" {
		t.Errorf("%s", ids(got))
	}
}

func TestManyWritersAndReadersLoseNothing(t *testing.T) {
	const writers, each = 8, 200
	h := NewHub("s", writers*each+1)
	var readers, writing sync.WaitGroup
	for range 4 {
		r := h.Read("")
		readers.Go(func() {
			for seen := 0; seen < writers*each; {
				got, more := r.Next()
				seen += len(got)
				if len(got) == 0 {
					<-more
				}
			}
		})
	}
	for range writers {
		writing.Go(func() { publish(h, each) })
	}
	writing.Wait()
	readers.Wait()
}

func FuzzLastEventID(f *testing.F) {
	for _, s := range []string{"", "s-1", "s-6", "x-1", "s-18446744073709551615", "-", "s-1-2"} {
		f.Add(s)
	}
	h := NewHub("s", 4)
	publish(h, 6)
	f.Fuzz(func(t *testing.T, last string) {
		got, more := h.Read(last).Next()
		if more == nil || len(got) > 4 {
			t.Errorf("%q: %s", last, ids(got))
		}
	})
}
