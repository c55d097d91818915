package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/atomicfile"
	"ipxe-all-ready/internal/fault"
)

// schema is of tasks.json:
//
//	{"schema": 1, "tasks": [{"id": "…", "kind": "disk.create", …, "left": […]}]}
const schema = 1

type stored struct {
	Schema int      `json:"schema"`
	Tasks  []record `json:"tasks"`
}

type record struct {
	api.Task
	Left []Left `json:"left,omitempty"`
}

// Left is what a task may leave at a node when it cannot end: a copy that the
// node goes on with by itself.
type Left struct {
	Worker   string `json:"worker_id"`
	Agent    string `json:"agent"`
	Task     string `json:"agent_task"` // the id of the node's own task
	IQN      string `json:"iqn"`
	KeepFile bool   `json:"keep_file,omitempty"` // it was there before
}

// Leave notes, on disk, what item i leaves if the daemon is killed now.
func (t *Task) Leave(l Left) {
	t.r.mu.Lock()
	t.left = append(t.left, l)
	t.r.version++
	t.r.mu.Unlock()
	t.r.save()
}

// Settle says that l has ended and is known for what it is. It reaches the
// disk with the task's end.
func (t *Task) Settle(l Left) {
	t.r.mu.Lock()
	defer t.r.mu.Unlock()
	t.drop(l)
}

func (t *Task) drop(l Left) {
	t.left = slices.DeleteFunc(slices.Clone(t.left), func(x Left) bool { return x == l })
}

// Leftovers is what tasks that have ended may have left, by task id.
func (r *Registry) Leftovers() map[string][]Left {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make(map[string][]Left)
	for _, t := range r.tasks {
		if api.Ended(t.view.State) && len(t.left) > 0 {
			out[t.view.ID] = slices.Clone(t.left)
		}
	}
	return out
}

// Cleared says that one of the leftovers is gone, or was none.
func (r *Registry) Cleared(id string, l Left) {
	r.mu.Lock()
	if t, err := r.find(id); err == nil {
		t.drop(l)
		r.version++
	}
	r.mu.Unlock()
	r.save()
}

func (r *Registry) load() error {
	if r.path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(r.path), 0o755); err != nil {
		return fmt.Errorf("open tasks: %w", err)
	}
	if err := atomicfile.Sweep(r.path); err != nil {
		return fmt.Errorf("open tasks: %w", err)
	}
	content, err := os.ReadFile(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var f stored
	if err == nil {
		err = json.Unmarshal(content, &f)
	}
	if err == nil && f.Schema != schema {
		err = fmt.Errorf("schema %d is not %d", f.Schema, schema)
	}
	if err != nil {
		r.o.Log.Warn("earlier tasks forgotten", "file", r.path, "error", err)
		return nil
	}
	for _, rec := range f.Tasks {
		r.tasks = append(r.tasks, r.earlier(rec))
	}
	r.version++
	r.save()
	return nil
}

var errKilled = fault.Wrap(fault.Unavailable, ErrStopping, "the control plane stopped before this ended")

// earlier is a task of an earlier run.
func (r *Registry) earlier(rec record) *Task {
	t := &Task{r: r, view: rec.Task, left: rec.Left}
	if api.Ended(t.view.State) {
		return t
	}
	for i := range t.view.Items {
		t.end(i, errKilled)
	}
	now := r.o.Now().UTC()
	t.view.State, t.view.EndedAt = api.TaskInterrupted, &now
	return t
}

// save puts what has changed on disk. Many that come together cost one or two
// writes: who finds his change saved by another goes on. A task does not fail
// because its history could not be written.
func (r *Registry) save() {
	if r.path == "" {
		return
	}
	r.mu.Lock()
	want := r.version
	r.mu.Unlock()
	r.saving.Lock()
	defer r.saving.Unlock()
	if r.saved >= want {
		return
	}
	content, version, err := r.encoded()
	if err == nil {
		err = atomicfile.Write(r.path, 0o644, content)
	}
	if err != nil {
		r.o.Log.Error("tasks not written", "file", r.path, "error", err)
		return
	}
	r.saved = version
}

func (r *Registry) encoded() (content []byte, version uint64, err error) {
	f := stored{Schema: schema, Tasks: []record{}}
	r.mu.Lock()
	version = r.version
	for _, t := range r.tasks {
		f.Tasks = append(f.Tasks, record{t.copied(), t.left})
	}
	r.mu.Unlock()
	content, err = json.Marshal(f)
	return append(content, '\n'), version, err
}
