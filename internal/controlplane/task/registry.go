package task

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

// Why a task's context ends before its work does.
var (
	ErrCancelled = fault.New(fault.Conflict, "cancelled before it was done").WithCode("cancelled")
	ErrStopping  = fault.New(fault.Unavailable, "the control plane is stopping")
)

// Options of a Registry. The zero value is good.
type Options struct {
	Log  *slog.Logger     // default discards
	Now  func() time.Time // default time.Now
	Keep int              // tasks remembered; default 500
	// Changed hears of every task that is created, updated or deleted, of
	// progress twice a second at most. It must not block, call the registry nor
	// change what it is given.
	Changed func(action string, t api.Task)
	// May is asked before each write; what it answers but nil refuses it. nil: always.
	May func() error
}

const (
	defaultKeep = 500
	// keepItems bounds what large batches take of the file and of every answer.
	keepItems = 20_000
)

// Registry is safe for concurrent use.
type Registry struct {
	o       Options
	history file            // tasks.json
	owed    file            // leftovers.json
	behind  chan struct{}   // see LeftBehind
	base    context.Context // ends with ErrStopping
	stop    context.CancelCauseFunc
	runs    sync.WaitGroup

	mu    sync.Mutex
	tasks []*Task        // oldest first
	left  map[place]Left // of tasks that run, have ended, or are forgotten
}

// Open reads the tasks of earlier runs; those that had not ended are
// interrupted. What they left is in leftovers.json beside path. A file that
// cannot be read is begun anew. path "" keeps everything in memory.
func Open(path string, o Options) (*Registry, error) {
	r := &Registry{o: o.withDefaults(), behind: make(chan struct{}, 1), left: make(map[place]Left)}
	r.history.log, r.owed.log = r.o.Log, r.o.Log
	r.history.may, r.owed.may = r.o.May, r.o.May
	if path != "" {
		r.history.path, r.owed.path = path, filepath.Join(filepath.Dir(path), leftFile)
	}
	r.base, r.stop = context.WithCancelCause(context.Background())
	if err := r.loadLeft(); err != nil {
		return nil, err
	}
	if err := r.loadHistory(); err != nil {
		return nil, err
	}
	return r, nil
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Keep <= 0 {
		o.Keep = defaultKeep
	}
	if o.Changed == nil {
		o.Changed = func(string, api.Task) {}
	}
	if o.May == nil {
		o.May = func() error { return nil }
	}
	return o
}

// NewID is the id of a task to come, so that what is reserved for it can name it.
func NewID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

// Go runs work as a task, which is on disk before it begins and ends when work
// returns.
func (r *Registry) Go(id, kind string, items []api.TaskItem, work func(*Task)) (*Task, error) {
	t := &Task{r: r, done: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancelCause(r.base)
	t.view = api.Task{ID: id, Kind: kind, State: api.TaskQueued, Items: items, StartedAt: r.o.Now().UTC()}
	for i := range items {
		items[i].State = api.TaskQueued
	}
	r.mu.Lock()
	if r.base.Err() != nil {
		r.mu.Unlock()
		return nil, ErrStopping
	}
	r.runs.Add(1)
	r.tasks = append(r.tasks, t)
	r.history.version.Add(1)
	t.tell("created")
	r.mu.Unlock()
	r.saveHistory()
	go func() {
		defer r.runs.Done()
		defer t.finish()
		work(t)
	}()
	return t, nil
}

// Stop interrupts what runs, waits for it and takes nothing more.
func (r *Registry) Stop() {
	r.mu.Lock()
	r.stop(ErrStopping)
	r.mu.Unlock()
	r.runs.Wait()
}

// List is all tasks, the newest first. Their items are not the caller's to
// change.
func (r *Registry) List() []api.Task {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.views(r.tasks)
	slices.Reverse(out)
	return out
}

func (r *Registry) views(tasks []*Task) []api.Task {
	out := make([]api.Task, len(tasks))
	for i, t := range tasks {
		out[i] = t.shown()
	}
	return out
}

// Get is one task. Its items are not the caller's to change.
func (r *Registry) Get(id string) (api.Task, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t, err := r.find(id)
	if err != nil {
		return api.Task{}, err
	}
	return t.shown(), nil
}

// Cancel stops what of a task has not finished. It ends a moment later: what
// is half-made is taken away first.
func (r *Registry) Cancel(id string) (api.Task, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t, err := r.find(id)
	if err != nil {
		return api.Task{}, err
	}
	if t.cancel != nil {
		t.cancel(ErrCancelled)
	}
	return t.shown(), nil
}

func (r *Registry) find(id string) (*Task, error) {
	for _, t := range slices.Backward(r.tasks) {
		if t.view.ID == id {
			return t, nil
		}
	}
	return nil, fault.New(fault.NotFound, "task %q not found", fault.Clip(id))
}

// trim forgets the oldest that have ended.
func (r *Registry) trim() {
	items, excess := 0, len(r.tasks)-r.o.Keep
	for _, t := range r.tasks {
		items += len(t.view.Items)
	}
	r.tasks = slices.DeleteFunc(r.tasks, func(t *Task) bool {
		if excess <= 0 && items <= keepItems || !api.Ended(t.view.State) {
			return false
		}
		excess--
		items -= len(t.view.Items)
		r.o.Changed("deleted", api.Task{ID: t.view.ID})
		return true
	})
}
