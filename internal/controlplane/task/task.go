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
	view   api.Task
	shared bool // view.Items was handed out: it is copied before it changes
	told   time.Time
	later  *time.Timer // tells of progress that was held back

	line []byte // the task as tasks.json has it, once it has ended; the saver's alone
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
		item := t.item(i)
		item.State, item.Agent = api.TaskRunning, agent
	})
}

// Progress says how far item i is, in bytes; a total of 0 is not known.
func (t *Task) Progress(i int, done, total int64) {
	t.change(func() {
		item := t.item(i)
		item.BytesDone, item.BytesTotal = done, total
	})
}

// Skip ends item i, as there was nothing to do.
func (t *Task) Skip(i int, reason string) {
	t.change(func() {
		item := t.item(i)
		item.State, item.Reason = api.TaskSucceeded, reason
	})
}

// End ends item i. Its first end counts.
func (t *Task) End(i int, err error) {
	t.change(func() { t.end(i, err) })
}

func (t *Task) end(i int, err error) {
	if api.Ended(t.view.Items[i].State) {
		return
	}
	item := t.item(i)
	item.State = stateOf(err)
	if err != nil {
		item.Error = fault.Sentence(err)
	}
	t.r.ended(place{t.view.ID, i})
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

// Guard calls f, an item's work in a goroutine of its own. A panic is its error
// and not the daemon's end.
func (t *Task) Guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = t.panicked(p)
		}
	}()
	return f()
}

func (t *Task) panicked(p any) error {
	t.r.o.Log.Error("a task panicked", "task", t.view.ID, "value", fmt.Sprint(p), "stack", string(debug.Stack()))
	return fmt.Errorf("panic: %v", p)
}

// finish ends the task after its work returned, or panicked.
func (t *Task) finish() {
	// Both, as a parent's end reaches its child a moment later.
	err := cmp.Or(context.Cause(t.ctx), context.Cause(t.r.base))
	if p := recover(); p != nil {
		err = t.panicked(p)
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
	t.r.history.version.Add(1)
	t.r.mu.Unlock()
	t.r.saveHistory()
	t.r.saveLeft()
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
	t.r.o.Changed(action, t.shown())
}

// shown is the task for others to read, as long as they like.
func (t *Task) shown() api.Task {
	t.shared = true
	return t.view
}

// item is item i for a change.
func (t *Task) item(i int) *api.TaskItem {
	if t.shared {
		t.view.Items, t.shared = slices.Clone(t.view.Items), false
	}
	return &t.view.Items[i]
}
