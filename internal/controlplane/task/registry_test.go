package task

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

func open(t *testing.T, path string, o Options) *Registry {
	t.Helper()
	r, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func start(t *testing.T, r *Registry, items int, work func(*Task)) *Task {
	t.Helper()
	rows := make([]api.TaskItem, items)
	for i := range rows {
		rows[i].WorkerID = fmt.Sprintf("worker-%d", i)
	}
	k, err := r.Go(NewID(), "test", rows, work)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func get(t *testing.T, r *Registry, id string) api.Task {
	t.Helper()
	k, err := r.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// states is the task's state and those of its items.
func states(k api.Task) string {
	s := k.State
	for _, i := range k.Items {
		s += " " + i.State
	}
	return s
}

func TestATaskEndsAsTheWorstOfItsItems(t *testing.T) {
	bad := fault.New(fault.NoSpace, "full")
	for want, errs := range map[string][]error{
		"succeeded succeeded succeeded":            {nil, nil},
		"failed succeeded failed":                  {nil, bad},
		"cancelled failed cancelled":               {bad, ErrCancelled},
		"interrupted cancelled interrupted failed": {ErrCancelled, fault.Wrap(fault.Unavailable, ErrStopping, "x"), bad},
	} {
		r := open(t, "", Options{})
		k := start(t, r, len(errs), func(k *Task) {
			for i, err := range errs {
				k.Begin(i, "st1")
				k.End(i, err)
				k.End(i, nil) // the first end counts
			}
		})
		k.Wait()
		if got := get(t, r, k.ID()); states(got) != want || got.EndedAt == nil || got.EndedAt.Before(got.StartedAt) {
			t.Errorf("%q, want %q", states(got), want)
		}
	}
}

func TestACancelledTaskEndsItsItemsThatDidNot(t *testing.T) {
	r := open(t, "", Options{})
	begun := make(chan struct{})
	k := start(t, r, 3, func(k *Task) {
		k.Skip(0, "nothing to do")
		k.Begin(1, "st1")
		close(begun)
		<-k.Context().Done()
	})
	<-begun
	if got := states(get(t, r, k.ID())); got != "running succeeded running queued" {
		t.Errorf("%s", got)
	}
	if _, err := r.Cancel(k.ID()); err != nil {
		t.Fatal(err)
	}
	k.Wait()
	got := get(t, r, k.ID())
	if states(got) != "cancelled succeeded cancelled cancelled" || got.Items[0].Reason != "nothing to do" || got.Items[2].Error == "" {
		t.Errorf("%+v", got)
	}
	if got, err := r.Cancel(k.ID()); err != nil || got.State != api.TaskCancelled {
		t.Errorf("again: %+v %v", got, err)
	}
	if _, err := r.Cancel("x"); !fault.Is(err, fault.NotFound) || fault.Sentence(err) != `task "x" not found` {
		t.Errorf("%v", err)
	}
}

func TestAPanicIsThatTasksFailure(t *testing.T) {
	r := open(t, "", Options{})
	k := start(t, r, 1, func(*Task) { panic("oh") })
	k.Wait()
	if got := get(t, r, k.ID()); states(got) != "failed failed" || got.Items[0].Error != "internal error" {
		t.Errorf("%+v", got)
	}
	k = start(t, r, 1, func(*Task) {})
	k.Wait()
	if got := get(t, r, k.ID()); got.Items[0].Error != "the task ended without saying how this went" {
		t.Errorf("%+v", got)
	}
}

func TestAStopInterruptsAndTakesNothingMore(t *testing.T) {
	r := open(t, filepath.Join(t.TempDir(), "tasks.json"), Options{})
	k := start(t, r, 1, func(k *Task) { k.Begin(0, "a"); <-k.Stopping().Done() })
	r.Stop()
	if got := states(get(t, r, k.ID())); got != "interrupted interrupted" {
		t.Errorf("%s", got)
	}
	if _, err := r.Go(NewID(), "test", nil, func(*Task) {}); !errors.Is(err, ErrStopping) {
		t.Errorf("%v", err)
	}
}

func TestTheNextStartKnowsTheTasksOfThisOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "tasks.json")
	r := open(t, path, Options{})
	defer r.Stop()
	done := start(t, r, 1, func(k *Task) { k.End(0, nil) })
	done.Wait()
	cut := start(t, r, 2, func(k *Task) { <-k.Context().Done() })
	for range 2 {
		next := open(t, path, Options{}) // as if the one before had been killed
		if got := states(get(t, next, done.ID())); got != "succeeded succeeded" {
			t.Errorf("%s", got)
		}
		if got := get(t, next, cut.ID()); states(got) != "interrupted interrupted interrupted" || got.EndedAt == nil {
			t.Errorf("%+v", got)
		}
		if list := next.List(); len(list) != 2 || list[0].ID != cut.ID() {
			t.Errorf("%v", list)
		}
	}
}

func TestWhatWasHandedOutDoesNotChange(t *testing.T) {
	r := open(t, "", Options{})
	step := make(chan struct{})
	k := start(t, r, 2, func(k *Task) {
		k.Begin(0, "st1")
		step <- struct{}{}
		<-step
		k.Progress(0, 1, 2)
		k.End(0, nil)
		k.End(1, nil)
	})
	<-step
	before := r.List()[0]
	step <- struct{}{}
	k.Wait()
	if states(before) != "running running queued" || before.Items[0].BytesDone != 0 {
		t.Errorf("%+v", before)
	}
	if got := get(t, r, k.ID()); states(got) != "succeeded succeeded succeeded" || got.Items[0].BytesDone != 1 {
		t.Errorf("%+v", got)
	}
}

func TestAPanicUnderGuardIsAnErrorOfTheHouse(t *testing.T) {
	r := open(t, "", Options{})
	k := start(t, r, 2, func(k *Task) {
		k.End(0, k.Guard(func() error { panic("oh") }))
		k.End(1, k.Guard(func() error { return nil }))
	})
	k.Wait()
	if got := get(t, r, k.ID()); states(got) != "failed failed succeeded" || got.Items[0].Error != "internal error" {
		t.Errorf("%+v", got)
	}
}

func TestAFileThatANewerProgramWroteIsLeftAsItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks.json")
	const newer = `{"schema":2,"tasks":[]}`
	if err := os.WriteFile(path, []byte(newer), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := r.Go(NewID(), "disk", []api.TaskItem{{}}, func(x *Task) { x.Leave(0, Left{}) })
	if err != nil {
		t.Fatal(err)
	}
	<-x.done
	r.Stop()
	if got, err := os.ReadFile(path); err != nil || string(got) != newer {
		t.Errorf("%s, %v", got, err)
	}
}

func TestAFileThatCannotBeReadIsBegunAnew(t *testing.T) {
	for _, content := range []string{"", "{", "[]"} {
		path := filepath.Join(t.TempDir(), "tasks.json")
		for _, name := range []string{path, filepath.Join(filepath.Dir(path), "leftovers.json")} {
			if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		r := open(t, path, Options{})
		k := start(t, r, 1, func(k *Task) { k.End(0, nil) })
		k.Wait()
		if got := open(t, path, Options{}); len(got.List()) != 1 {
			t.Errorf("%q: %v", content, got.List())
		}
	}
}

func TestTheOldestThatEndedAreForgotten(t *testing.T) {
	var gone []string
	r := open(t, "", Options{Keep: 3, Changed: func(action string, k api.Task) {
		if action == "deleted" {
			gone = append(gone, k.ID)
		}
	}})
	runs := start(t, r, 1, func(k *Task) { <-k.Context().Done() })
	var ids []string
	for range 5 {
		k := start(t, r, 1, func(k *Task) { k.End(0, nil) })
		k.Wait()
		ids = append(ids, k.ID())
	}
	var kept []string
	for _, k := range r.List() {
		kept = append(kept, k.ID)
	}
	if want := ids[4] + " " + ids[3] + " " + runs.ID(); strings.Join(kept, " ") != want {
		t.Errorf("%v, want %s", kept, want)
	}
	r.Stop()
	if strings.Join(gone, " ") != strings.Join(ids[:3], " ") {
		t.Errorf("gone %v of %v", gone, ids)
	}
}

func TestProgressIsToldTwiceASecondAndTheLastOfItAlways(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []string
		r := open(t, "", Options{Changed: func(action string, k api.Task) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, fmt.Sprintf("%s %s %d", action, k.State, k.Items[0].BytesDone))
		}})
		k := start(t, r, 1, func(k *Task) {
			k.Begin(0, "st1")
			time.Sleep(time.Microsecond) // never in the same instant as the telling
			for i := range int64(1000) {
				k.Progress(0, i, 1000)
				time.Sleep(time.Millisecond)
			}
			time.Sleep(time.Second)
			k.Progress(0, 1000, 1000)
			k.End(0, nil)
		})
		k.Wait()
		want := "created queued 0; updated running 499; updated running 999; updated running 1000; updated succeeded 1000"
		if got := strings.Join(told, "; "); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	})
}

func TestManyTasksAtOnceAreAllOnDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks.json")
	r := open(t, path, Options{})
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			k, err := r.Go(NewID(), "test", []api.TaskItem{{}}, func(k *Task) { k.Begin(0, "a"); k.End(0, nil) })
			if err != nil {
				t.Error(err)
				return
			}
			k.Wait()
			_ = r.List()
		})
	}
	wg.Wait()
	for _, k := range open(t, path, Options{}).List() {
		if k.State != api.TaskSucceeded {
			t.Errorf("%+v", k)
		}
	}
	if n := len(open(t, path, Options{}).List()); n != 100 {
		t.Errorf("%d tasks", n)
	}
}
