package task

import (
	"bytes"
	"encoding/json"
	"slices"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

// stored is tasks.json, written when a task begins and when it ends:
//
//	{"schema": 1, "tasks": [{"id": "…", "kind": "disk.create", …}]}
type stored struct {
	Schema int        `json:"schema"`
	Tasks  []api.Task `json:"tasks"`
}

func (r *Registry) loadHistory() error {
	var f stored
	if err := r.history.load(&f); err != nil {
		return err
	}
	for _, view := range f.Tasks {
		r.tasks = append(r.tasks, r.earlier(view))
	}
	if len(f.Tasks) > 0 {
		r.history.version.Add(1)
		r.saveHistory()
	}
	return nil
}

var errKilled = fault.Wrap(fault.Unavailable, ErrStopping, "the control plane stopped before this ended")

// earlier is a task of an earlier run.
func (r *Registry) earlier(view api.Task) *Task {
	t := &Task{r: r, view: view}
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

func (r *Registry) saveHistory() { r.history.save(r.encoded) }

// encoded is one task a line. A task that has ended is encoded once in its life.
func (r *Registry) encoded() ([]byte, error) {
	r.mu.Lock()
	tasks := slices.Clone(r.tasks)
	views := r.views(tasks)
	r.mu.Unlock()
	lines := make([][]byte, len(tasks))
	for i, t := range tasks {
		if t.line == nil {
			line, err := json.Marshal(views[i])
			if err != nil {
				return nil, err
			}
			if lines[i] = line; !api.Ended(views[i].State) {
				continue
			}
			t.line = line
		}
		lines[i] = t.line
	}
	var b bytes.Buffer
	b.WriteString(`{"schema":1,"tasks":[` + "\n")
	b.Write(bytes.Join(lines, []byte(",\n")))
	b.WriteString("\n]}")
	return b.Bytes(), nil
}
