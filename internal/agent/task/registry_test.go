package task

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func registry(t *testing.T) *Registry {
	t.Helper()
	r := New(func() time.Time { return noon }, slog.New(slog.DiscardHandler))
	t.Cleanup(r.Stop)
	return r
}

func begin(t *testing.T, r *Registry, work Work) (id string) {
	t.Helper()
	id, err := r.Go("iqn.2026-07.com.controller:a", work)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func get(t *testing.T, r *Registry, id string) api.AgentTask {
	t.Helper()
	got, err := r.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// work is told what to do step by step.
type work struct {
	steps chan store.Step
	end   chan error
	told  chan struct{} // after each step, and when ctx has ended
}

func newWork() work {
	return work{make(chan store.Step), make(chan error), make(chan struct{})}
}

func (w work) do(ctx context.Context, tell store.Progress) (api.LUNCreated, error) {
	for {
		select {
		case s := <-w.steps:
			tell(s)
			w.told <- struct{}{}
		case err := <-w.end:
			return api.LUNCreated{Backing: "/a.img"}, err
		case <-ctx.Done():
			<-w.told
			return api.LUNCreated{}, <-w.end
		}
	}
}

func (w work) step(s store.Step) {
	w.steps <- s
	<-w.told
}

func TestATaskShowsEveryStateAndHowFarItIs(t *testing.T) {
	r, w := registry(t), newWork()
	id := begin(t, r, w.do)
	want := func(state, clone string, done, total int64) {
		t.Helper()
		got := get(t, r, id)
		if got.ID != id || got.Kind != "disk" || got.IQN != "iqn.2026-07.com.controller:a" || !got.StartedAt.Equal(noon) || got.EndedAt != nil ||
			got.State != state || got.Clone != clone || got.BytesDone != done || got.BytesTotal != total {
			t.Errorf("task %+v, want %s %s %d/%d", got, state, clone, done, total)
		}
	}
	want(api.TaskQueued, "", 0, 0)
	w.step(store.Step{Way: store.WayCopy, Waiting: true})
	want(api.TaskQueued, "copy", 0, 0)
	w.step(store.Step{Way: store.WayCopy, Total: 7})
	want(api.TaskRunning, "copy", 0, 7)
	w.step(store.Step{Way: store.WayCopy, Done: 7, Total: 7})
	want(api.TaskRunning, "copy", 7, 7)
	w.end <- nil
	r.Stop()
	got := get(t, r, id)
	if got.State != api.TaskSucceeded || got.EndedAt == nil || got.Result == nil || got.Result.Backing != "/a.img" || got.Error != "" {
		t.Errorf("task %+v", got)
	}
}

func TestATaskEndsAsItsWorkDid(t *testing.T) {
	hung := fault.Wrap(fault.NoSpace, context.Canceled, "full")
	for _, c := range []struct {
		name        string
		cancel      bool
		err         error
		state       string
		error, code string
	}{
		{"refused", false, fault.New(fault.Unavailable, "no tgtd").WithCode("tgtd_down"), api.TaskFailed, "no tgtd", "unavailable"},
		{"for a cause that is ours", false, fmt.Errorf("secret path"), api.TaskFailed, "internal error", "internal"},
		{"cancelled", true, context.Canceled, api.TaskCancelled, "", ""},
		{"whole before it heard", true, nil, api.TaskSucceeded, "", ""},
		{"cancelled and not cleaned up", true, hung, api.TaskFailed, "full", "no_space"},
	} {
		r, w := registry(t), newWork()
		id := begin(t, r, w.do)
		if c.cancel {
			if _, err := r.Cancel(id); err != nil {
				t.Fatal(err)
			}
			w.told <- struct{}{}
		}
		w.end <- c.err
		r.runs.Wait()
		if got := get(t, r, id); got.State != c.state || got.Error != c.error || got.Code != c.code || got.EndedAt == nil {
			t.Errorf("%s: %+v", c.name, got)
		}
		if got, err := r.Cancel(id); err != nil || got.State != c.state {
			t.Errorf("%s: cancelled once more: %+v, %v", c.name, got, err)
		}
	}
}

func TestAStoppingAgentCancelsItsTasksAndTakesNoMore(t *testing.T) {
	r := registry(t)
	id := begin(t, r, func(ctx context.Context, _ store.Progress) (api.LUNCreated, error) {
		<-ctx.Done()
		return api.LUNCreated{}, ctx.Err()
	})
	r.Stop()
	if got := get(t, r, id); got.State != api.TaskFailed || got.Error != "the agent is stopping" || got.Code != "unavailable" {
		t.Errorf("task %+v", got)
	}
	if _, err := r.Go("x", nil); !fault.Is(err, fault.Unavailable) {
		t.Errorf("Go = %v", err)
	}
}

func TestOnlyTheOldestThatHaveEndedAreForgotten(t *testing.T) {
	r, w := registry(t), newWork()
	live := begin(t, r, w.do)
	var ids []string
	for range Keep + 3 {
		ids = append(ids, begin(t, r, func(context.Context, store.Progress) (api.LUNCreated, error) { return api.LUNCreated{}, nil }))
		for r.Count()[api.TaskQueued] > 1 { // one after the other, or any may be the oldest
			runtime.Gosched()
		}
	}
	if got := r.Count(); got[api.TaskSucceeded] != Keep || got[api.TaskQueued] != 1 || got[api.TaskFailed] != 0 {
		t.Errorf("count %v", got)
	}
	for i, id := range ids {
		if _, err := r.Get(id); fault.Is(err, fault.NotFound) != (i < 3) {
			t.Fatalf("task %d: %v", i, err)
		}
	}
	get(t, r, live)
	w.end <- nil
}

func TestAnUnknownTaskIsNamedInFewWords(t *testing.T) {
	r := registry(t)
	for _, ask := range []func(string) (api.AgentTask, error){r.Get, r.Cancel} {
		_, err := ask(strings.Repeat("x", 1000))
		if !fault.Is(err, fault.NotFound) || len(fault.Sentence(err)) > 120 {
			t.Errorf("%v", err)
		}
	}
}
