package store

import (
	"encoding/json"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/client"
)

// told is what a row of events comes to.
type told struct {
	workers, operations []string
	tasks               []Changed
	reload              [parts]bool
}

// Events applies what the stream told and returns what changed, and the loads
// that the rest needs.
func (s *Store) Events(events []client.Event) (changed []Changed, loads []tea.Cmd) {
	var sum told
	for _, e := range events {
		s.event(e, &sum)
	}
	changed = sum.tasks
	if len(sum.operations) > 0 {
		changed = append(changed, Changed{Part: Operations, IDs: sum.operations})
	}
	if len(sum.workers) > 0 {
		changed = append(changed, Changed{Part: Workers, IDs: sum.workers})
	}
	for p := range parts {
		switch {
		case !sum.reload[p]:
		case s.state[p].loading:
			s.state[p].again = true
		default:
			loads = append(loads, s.Load(p))
		}
	}
	return changed, loads
}

func (s *Store) event(e client.Event, sum *told) {
	switch e.Kind {
	case api.EventReset:
		s.edition = ""
		for p := range parts {
			sum.reload[p] = sum.reload[p] || !s.state[p].at.IsZero()
		}
	case api.EventWorker:
		c, ok := s.workerEvent(e.Change)
		sum.workers = append(sum.workers, c.IDs...)
		sum.reload[Workers] = sum.reload[Workers] || !ok
	case api.EventTask:
		c, ok := s.taskEvent(e.Change)
		sum.tasks = append(sum.tasks, c)
		sum.reload[Tasks] = sum.reload[Tasks] || !ok
	case api.EventOperation:
		sum.operations = append(sum.operations, s.operationEvent(e.Change).IDs...)
	case api.EventAgent:
		sum.reload[Agents], sum.reload[Health] = true, true
	case api.EventSettings:
		sum.reload[Settings] = true
	case api.EventLedgerFault:
		sum.reload[Ready] = true
	}
}

func (s *Store) workerEvent(c api.Change) (Changed, bool) {
	var w api.Worker
	if c.Action != "deleted" && (json.Unmarshal(c.Object, &w) != nil || w.WorkerID == "") {
		return Changed{}, false
	}
	return s.change(Workers, func(s *Store) []string {
		if c.Action == "deleted" {
			delete(s.Workers, c.ID)
		} else {
			s.Workers[w.WorkerID] = &w
		}
		return []string{c.ID}
	}), true
}

func (s *Store) taskEvent(c api.Change) (Changed, bool) {
	var t api.Task
	if c.Action != "deleted" && (json.Unmarshal(c.Object, &t) != nil || t.ID == "") {
		return Changed{Part: Tasks, IDs: []string{c.ID}}, false
	}
	return s.change(Tasks, func(s *Store) []string {
		if c.Action == "deleted" {
			s.Tasks = slices.DeleteFunc(s.Tasks, func(x api.Task) bool { return x.ID == c.ID })
		} else {
			s.putTask(t)
		}
		return []string{c.ID}
	}), true
}

// PutTask takes in a task that was read by itself.
func (s *Store) PutTask(t api.Task) Changed {
	return s.change(Tasks, func(s *Store) []string { s.putTask(t); return []string{t.ID} })
}

func (s *Store) putTask(t api.Task) {
	for i := range s.Tasks {
		if s.Tasks[i].ID == t.ID {
			s.Tasks[i] = t
			return
		}
	}
	s.Tasks = slices.Insert(s.Tasks, 0, t)
}

// PutWorker takes in a worker as a call answered it.
func (s *Store) PutWorker(w api.Worker) Changed {
	return s.change(Workers, func(s *Store) []string { s.Workers[w.WorkerID] = &w; return []string{w.WorkerID} })
}
