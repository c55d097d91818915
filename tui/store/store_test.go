package store

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/client"
)

type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// against is a store on a control plane that gives these answers to GET
// /workers, the last one for ever; an empty one is a refusal.
func against(t *testing.T, answers ...string) (*Store, *clock) {
	t.Helper()
	i := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		body := answers[min(i, len(answers)-1)]
		i++
		if body == "" {
			w.WriteHeader(500)
		}
		fmt.Fprint(w, body)
	}))
	t.Cleanup(s.Close)
	c := &clock{time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)}
	return New(client.NewControlPlane(client.ControlPlaneOptions{BaseURL: s.URL}), c.now), c
}

func workerEvent(action, id string) client.Event {
	b, _ := json.Marshal(api.Worker{WorkerID: id, State: "ready"})
	return client.Event{Kind: api.EventWorker, Change: api.Change{Action: action, ID: id, Object: b}}
}

func TestAnAnswerThatALaterLoadHasOvertakenIsDropped(t *testing.T) {
	s, _ := against(t, `[{"worker_id":"old"}]`, `[{"worker_id":"new"}]`)
	first, second := s.Load(Workers), s.Load(Workers)
	a := first().(Loaded)
	b := second().(Loaded)
	if !s.Apply(b) || s.Apply(a) {
		t.Error("the order of answers decided")
	}
	if s.Workers["new"] == nil || s.Workers["old"] != nil {
		t.Errorf("%v", s.Workers)
	}
}

func TestWhatAnEventToldWhileLoadingOutlivesTheAnswer(t *testing.T) {
	s, _ := against(t, `[{"worker_id":"a","state":"registered"},{"worker_id":"b"}]`)
	load := s.Load(Workers)
	answer := load().(Loaded) // made before the events
	s.Events([]client.Event{workerEvent("updated", "a"), workerEvent("deleted", "b"), workerEvent("created", "c")})
	s.Apply(answer)
	if s.Workers["a"].State != "ready" || s.Workers["b"] != nil || s.Workers["c"] == nil {
		t.Errorf("%v", s.Workers)
	}
}

func TestAFailedLoadKeepsTheDataAndIsTriedEverMoreRarely(t *testing.T) {
	s, c := against(t, `[{"worker_id":"a"}]`, "")
	s.Apply(s.Load(Workers)().(Loaded))
	at := s.At(Workers)
	var waits []int
	for range 6 {
		s.Apply(s.Load(Workers)().(Loaded))
		wait := 0
		for len(s.Due([]Part{Workers}, false)) == 0 {
			c.at = c.at.Add(time.Second)
			wait++
		}
		waits = append(waits, wait)
	}
	if s.Workers["a"] == nil || s.At(Workers) != at || s.Err(Workers) == nil {
		t.Errorf("%v %v", s.Workers, s.Err(Workers))
	}
	if got := fmt.Sprint(waits); got != "[1 2 4 8 15 15]" {
		t.Error(got)
	}
}

func TestAResetReadsEverythingAnew(t *testing.T) {
	s, _ := against(t, `[]`)
	s.Apply(s.Load(Workers)().(Loaded))
	_, loads := s.Events([]client.Event{{Kind: api.EventReset}})
	if len(loads) != 1 {
		t.Errorf("%d loads", len(loads))
	}
}

func TestAnEventWithoutItsObjectIsAskedFor(t *testing.T) {
	s, _ := against(t, `[]`)
	_, loads := s.Events([]client.Event{{Kind: api.EventTask, Change: api.Change{Action: "updated", ID: "t"}}})
	if len(loads) != 1 {
		t.Errorf("%d loads", len(loads))
	}
}

func TestAnUnchangedEditionKeepsTheRows(t *testing.T) {
	n := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n++
		w.Header().Set("ETag", `W/"1"`)
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(304)
			return
		}
		fmt.Fprint(w, `[{"worker_id":"a"}]`)
	}))
	t.Cleanup(srv.Close)
	s := New(client.NewControlPlane(client.ControlPlaneOptions{BaseURL: srv.URL}), time.Now)
	s.Apply(s.Load(Workers)().(Loaded))
	s.Apply(s.Load(Workers)().(Loaded))
	if n != 2 || s.Workers["a"] == nil {
		t.Errorf("%d calls, %v", n, s.Workers)
	}
}

func TestPagesOfOperationsJoinWithoutGapOrRepetition(t *testing.T) {
	page := func(ids ...int) (p api.Operations) {
		for _, i := range ids {
			p.Entries = append(p.Entries, json.RawMessage(fmt.Sprintf(`{"id":%d}`, i)))
		}
		return p
	}
	var s Store
	s.newOperations(page(5, 6, 7))
	s.newOperations(page(7, 8, 9))
	if len(s.Operations) != 5 || s.Operations[0].ID != 9 || s.Operations[4].ID != 5 {
		t.Errorf("%+v", s.Operations)
	}
	s.newOperations(page(20, 21)) // what lies between is not known
	if len(s.Operations) != 2 {
		t.Errorf("%+v", s.Operations)
	}
	if !s.AddOlder(OlderOperations{Before: 20, Rows: ReadOperations(page(18, 19))}) || s.AddOlder(OlderOperations{Before: 20}) {
		t.Error("the page that fits is taken, and once")
	}
}
