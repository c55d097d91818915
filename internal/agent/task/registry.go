// Package task owns the registry of what goes on after its caller was answered:
// the copies of disks. It is in memory: an agent that starts anew knows none of
// its tasks, and what they had half made is swept from the image folder.
package task

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

// Why a task's context ends before its work does.
var (
	ErrCancelled = fault.New(fault.Conflict, "cancelled before it was done").WithCode("cancelled")
	ErrStopping  = fault.New(fault.Unavailable, "the agent is stopping")
)

// Keep is how many tasks that have ended are remembered.
const Keep = 500

// Work makes one disk. When ctx ends first it leaves nothing of it.
type Work func(ctx context.Context, tell store.Progress) (api.LUNCreated, error)

// Registry is safe for concurrent use.
type Registry struct {
	now  func() time.Time
	log  *slog.Logger
	base context.Context // ends with ErrStopping
	stop context.CancelCauseFunc
	runs sync.WaitGroup

	mu    sync.Mutex
	tasks []*running // oldest first
}

type running struct {
	view   api.AgentTask
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// New is an empty registry.
func New(now func() time.Time, log *slog.Logger) *Registry {
	r := &Registry{now: now, log: log}
	r.base, r.stop = context.WithCancelCause(context.Background())
	return r
}

// Go begins work on the disk of iqn. It ends when work returns.
func (r *Registry) Go(iqn string, work Work) (id string, err error) {
	t := &running{view: api.AgentTask{ID: rand.Text(), Kind: "disk", State: api.TaskQueued, IQN: iqn, StartedAt: r.now().UTC()}}
	t.ctx, t.cancel = context.WithCancelCause(r.base)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.base.Err() != nil {
		return "", ErrStopping
	}
	r.tasks = append(r.tasks, t)
	r.runs.Go(func() {
		defer t.cancel(nil)
		made, err := r.do(t, work)
		r.end(t, made, err)
	})
	return t.view.ID, nil
}

// do is what work comes to. A panic is the failure of this task and not the
// end of an agent that other machines need.
func (r *Registry) do(t *running, work Work) (made api.LUNCreated, err error) {
	defer func() {
		if v := recover(); v != nil {
			r.log.Error("panic", "value", fmt.Sprint(v), "task", t.view.ID, "iqn", t.view.IQN, "stack", string(debug.Stack()))
			made, err = api.LUNCreated{}, fault.New(fault.Internal, "internal error")
		}
	}()
	return work(t.ctx, func(s store.Step) { r.step(t, s) })
}

func (r *Registry) step(t *running, s store.Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t.view.State = api.TaskRunning
	if s.Waiting {
		t.view.State = api.TaskQueued
	}
	t.view.Clone, t.view.BytesDone, t.view.BytesTotal = s.Way, s.Done, s.Total
}

// end notes how the work came out. Work that was whole before it heard of its
// cancellation has succeeded.
func (r *Registry) end(t *running, made api.LUNCreated, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now().UTC()
	t.view.EndedAt = &now
	err = Outcome(t.ctx, err)
	switch {
	case err == nil:
		t.view.State, t.view.Result = api.TaskSucceeded, &made
	case fault.As(err) == ErrCancelled:
		t.view.State = api.TaskCancelled
	default:
		t.view.State, t.view.Error, t.view.Code = api.TaskFailed, fault.Sentence(err), fault.KindOf(err).Code()
	}
	r.trim()
}

// trim forgets the oldest that have ended.
func (r *Registry) trim() {
	excess := -Keep
	for _, t := range r.tasks {
		if api.Ended(t.view.State) {
			excess++
		}
	}
	r.tasks = slices.DeleteFunc(r.tasks, func(t *running) bool {
		if excess <= 0 || !api.Ended(t.view.State) {
			return false
		}
		excess--
		return true
	})
}

// Get is one task.
func (r *Registry) Get(id string) (api.AgentTask, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t, err := r.find(id)
	if err != nil {
		return api.AgentTask{}, err
	}
	return t.view, nil
}

// Cancel stops a task that has not ended. It ends a moment later: what is
// half-made is taken away first.
func (r *Registry) Cancel(id string) (api.AgentTask, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t, err := r.find(id)
	if err != nil {
		return api.AgentTask{}, err
	}
	t.cancel(ErrCancelled)
	return t.view, nil
}

func (r *Registry) find(id string) (*running, error) {
	for _, t := range slices.Backward(r.tasks) {
		if t.view.ID == id {
			return t, nil
		}
	}
	return nil, fault.New(fault.NotFound, "task %q not found", fault.Clip(id))
}

// Count is how many tasks are in each state, all states named.
func (r *Registry) Count() map[string]int {
	count := map[string]int{api.TaskQueued: 0, api.TaskRunning: 0, api.TaskSucceeded: 0, api.TaskFailed: 0, api.TaskCancelled: 0}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.tasks {
		count[t.view.State]++
	}
	return count
}

// Stop cancels what runs, waits for it and takes nothing more.
func (r *Registry) Stop() {
	r.mu.Lock()
	r.stop(ErrStopping)
	r.mu.Unlock()
	r.runs.Wait()
}
