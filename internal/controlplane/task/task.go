package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

// Task is one that runs. Its items are named by their place.
type Task struct {
	r      *Registry
	ctx    context.Context
	cancel context.CancelCauseFunc // nil: of an earlier run
	done   chan struct{}

	// The rest is guarded by r.mu.
	view  api.Task
	left  []Left
	told  time.Time
	later *time.Timer // tells of progress that was held back
}

// ID names the task.
func (t *Task) ID() string { return t.view.ID }

// Context ends when the task is cancelled or the daemon stops; its cause is
// ErrCancelled or ErrStopping.
func (t *Task) Context() context.Context { return t.ctx }

// Stopping ends when the daemon stops and not before: for what must not be
// left in its middle.
func (t *Task) Stopping() context.Context { return t.r.base }

// Wait returns when the task has ended.
func (t *Task) Wait() { <-t.done }

// Begin says that item i is worked on, at that node.
func (t *Task) Begin(i int, agent string) {
	t.change(func() {
		t.view.State = api.TaskRunning
		t.view.Items[i].State, t.view.Items[i].Agent = api.TaskRunning, agent
	})
}

// Progress says how far item i is, in bytes; a total of 0 is not known.
func (t *Task) Progress(i int, done, total int64) {
	t.change(func() { t.view.Items[i].BytesDone, t.view.Items[i].BytesTotal = done, total })
}

// Skip ends item i, as there was nothing to do.
func (t *Task) Skip(i int, reason string) {
	t.change(func() { t.view.Items[i].State, t.view.Items[i].Reason = api.TaskSucceeded, reason })
}

// End ends item i. Its first end counts.
func (t *Task) End(i int, err error) {
	t.change(func() { t.end(i, err) })
}

func (t *Task) end(i int, err error) {
	item := &t.view.Items[i]
	if api.Ended(item.State) {
		return
	}
	item.State = stateOf(err)
	if err != nil {
		item.Error = fault.Sentence(err)
	}
}

func stateOf(err error) string {
	switch {
	case err == nil:
		return api.TaskSucceeded
	case errors.Is(err, ErrCancelled):
		return api.TaskCancelled
	case errors.Is(err, ErrStopping):
		return api.TaskInterrupted
	}
	return api.TaskFailed
}

func (t *Task) change(f func()) {
	t.r.mu.Lock()
	defer t.r.mu.Unlock()
	f()
	t.tellSoon()
}

// finish ends the task after its work returned, or panicked: that is this
// task's failure and not the daemon's.
func (t *Task) finish() {
	// Both, as a parent's end reaches its child a moment later.
	err := cmp.Or(context.Cause(t.ctx), context.Cause(t.r.base))
	if p := recover(); p != nil {
		err = fmt.Errorf("panic: %v", p)
		t.r.o.Log.Error("a task panicked", "task", t.view.ID, "value", fmt.Sprint(p), "stack", string(debug.Stack()))
	}
	if err == nil {
		err = fault.New(fault.Internal, "the task ended without saying how this went")
	}
	t.r.mu.Lock()
	for i := range t.view.Items {
		t.end(i, err)
	}
	t.view.State = outcome(t.view.Items)
	now := t.r.o.Now().UTC()
	t.view.EndedAt = &now
	t.tell("updated")
	t.r.trim()
	t.r.version++
	t.r.mu.Unlock()
	t.r.save()
	t.cancel(nil)
	close(t.done)
}

// outcome is the worst of what the items came to.
func outcome(items []api.TaskItem) string {
	for _, worst := range []string{api.TaskInterrupted, api.TaskCancelled, api.TaskFailed} {
		if slices.ContainsFunc(items, func(i api.TaskItem) bool { return i.State == worst }) {
			return worst
		}
	}
	return api.TaskSucceeded
}

// quiet is the least time between two events of one task's progress.
const quiet = 500 * time.Millisecond

// tellSoon tells at once or, when it just did, a little later.
func (t *Task) tellSoon() {
	if t.later != nil {
		return
	}
	rest := quiet - time.Since(t.told)
	if rest <= 0 {
		t.tell("updated")
		return
	}
	t.later = time.AfterFunc(rest, func() {
		t.r.mu.Lock()
		defer t.r.mu.Unlock()
		if t.later = nil; !api.Ended(t.view.State) {
			t.tell("updated")
		}
	})
}

func (t *Task) tell(action string) {
	t.told = time.Now()
	t.r.o.Changed(action, t.copied())
}

func (t *Task) copied() api.Task {
	c := t.view
	c.Items = slices.Clone(c.Items)
	return c
}
