package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"ipxe-all-ready/internal/fault"
)

// streams answers each connection with the next script and then cuts it, the
// last one it holds until the reader goes.
func streams(t *testing.T, asked chan<- string, scripts ...string) *ControlPlane {
	t.Helper()
	var n atomic.Int32
	return controlPlaneAt(t, func(w http.ResponseWriter, r *http.Request) {
		i := int(n.Add(1)) - 1
		asked <- r.Header.Get("Last-Event-ID")
		if i >= len(scripts) {
			cut()
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, ": connected\n\n"+scripts[i])
		w.(http.Flusher).Flush()
		if i == len(scripts)-1 {
			<-r.Context().Done()
		}
		cut()
	})
}

// watch collects events as "kind action id" until one has the id last.
func watch(t *testing.T, cp *ControlPlane, from, last string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var got []string
	err := cp.Watch(ctx, Watcher{From: from, Event: func(e Event) {
		got = append(got, e.Kind+" "+e.Action+" "+e.Change.ID)
		if e.ID == last {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	return got
}

func TestAStreamGoesOnWhereItWasLost(t *testing.T) {
	asked := make(chan string, 10)
	cp := streams(t, asked,
		"id: s-1\nevent: worker\ndata: {\"action\":\"created\",\"id\":\"a\"}\n\nid: s-2\nevent: worker\ndata: {\"action\":\"upd",
		": heartbeat\n\nid: s-2\nevent: worker\ndata: {\"action\":\"updated\",\ndata: \"id\":\"a\",\"object\":{}}\n\n",
		"id:s-3\r\nevent:task\r\ndata:{\"action\":\"deleted\",\"id\":\"t\"}\r\n\r\n")
	got := watch(t, cp, "s-0", "s-3")
	if want := []string{"worker created a", "worker updated a", "task deleted t"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if ids := []string{<-asked, <-asked, <-asked}; !slices.Equal(ids, []string{"s-0", "s-1", "s-2"}) {
		t.Errorf("it asked after %q", ids)
	}
}

func TestWhatCannotBeResumedBeginsWithAReset(t *testing.T) {
	asked := make(chan string, 10)
	cp := streams(t, asked,
		"", // lost before its first event
		"id: s-5\nevent: reset\ndata: {\"action\":\"reset\",\"id\":\"\"}\n\n",
		"id: s-6\nevent: worker\ndata: no JSON\n\nid: s-7\nevent: worker\ndata: {\"action\":\"created\",\"id\":\"b\"}\n\n")
	got := watch(t, cp, "", "s-7")
	if want := []string{"reset  ", "reset reset ", "reset  ", "worker created b"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestAStreamThatFallsSilentIsLost(t *testing.T) {
	asked := make(chan string, 10)
	cp := streams(t, asked, "id: s-1\nevent: worker\ndata: {\"action\":\"created\",\"id\":\"a\"}\n\n")
	cp.o.Silence = 50 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := cp.Watch(ctx, Watcher{Event: func(Event) {}, State: func(err error) {
		if err != nil {
			if want := "the event stream has been silent for 50ms"; !fault.Is(err, fault.Unavailable) || !contains(err, want) {
				t.Errorf("%v", err)
			}
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func contains(err error, text string) bool {
	f := fault.As(err)
	return f != nil && len(f.Text) >= len(text) && f.Text[len(f.Text)-len(text):] == text
}

func TestAReaderThatMayNotReadIsTold(t *testing.T) {
	for status, kind := range map[int]fault.Kind{401: fault.Unauthorized, 403: fault.Forbidden, 404: fault.NotFound} {
		cp := controlPlaneAt(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		if err := cp.Watch(t.Context(), Watcher{}); !fault.Is(err, kind) {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func TestThePauseBetweenAttemptsGrows(t *testing.T) {
	asked := make(chan string, 100)
	cp := streams(t, asked)
	var pauses []time.Duration
	ctx, cancel := context.WithCancel(t.Context())
	cp.o.Wait = func(ctx context.Context, d time.Duration) error {
		if pauses = append(pauses, d); len(pauses) == 9 {
			cancel()
		}
		return ctx.Err()
	}
	if err := cp.Watch(ctx, Watcher{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	want := []time.Duration{250e6, 500e6, 1e9, 2e9, 4e9, 8e9, 15e9, 15e9, 15e9}
	if !slices.Equal(pauses, want) {
		t.Errorf("%v", pauses)
	}
}

func TestAPageInsteadOfAStreamIsNamedAsSuch(t *testing.T) {
	cp := controlPlaneAt(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<html>")
	})
	ctx, cancel := context.WithCancel(t.Context())
	err := cp.Watch(ctx, Watcher{State: func(err error) {
		if fault.CodeOf(err) != "control_plane_protocol" || !contains(err, "answered text/html and no event stream") {
			t.Errorf("%v", err)
		}
		cancel()
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
