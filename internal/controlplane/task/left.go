package task

import (
	"cmp"
	"encoding/json"
	"slices"

	"ipxe-all-ready/internal/api"
)

// Left is what an item leaves at a node when it cannot end as it should: a copy
// that the node goes on with by itself or, without a task of the node's, a disk
// that stands there.
type Left struct {
	Worker   string `json:"worker_id"`
	Agent    string `json:"agent"`
	Task     string `json:"agent_task,omitempty"` // the id of the node's own task
	IQN      string `json:"iqn"`
	KeepFile bool   `json:"keep_file,omitempty"` // it was there before
}

// Leftover is what an item that ended has left.
type Leftover struct {
	Task string `json:"task"`
	Item int    `json:"item"`
	Left
}

// place names one item of all tasks.
type place struct {
	task string
	item int
}

// storedLeft is leftovers.json. It holds what nobody has settled and nothing
// else, so that a note costs the same in a batch of any size:
//
//	{"schema": 1, "left": [{"task": "…", "item": 0, "worker_id": "…", …}]}
type storedLeft struct {
	Schema int        `json:"schema"`
	Left   []Leftover `json:"left"`
}

// Leave notes, on disk, what item i leaves if the daemon is killed now. It
// takes the place of what was noted of i before.
func (t *Task) Leave(i int, l Left) {
	t.r.mu.Lock()
	t.r.left[place{t.view.ID, i}] = l
	t.r.owed.version.Add(1)
	t.r.mu.Unlock()
	t.r.saveLeft()
}

// Settle says that nothing of item i is left that no ledger knows of. It
// reaches the disk with a later Leave or the task's end, as whoever clears up
// asks the ledger first.
func (t *Task) Settle(i int) {
	t.r.mu.Lock()
	defer t.r.mu.Unlock()
	delete(t.r.left, place{t.view.ID, i})
	t.r.owed.version.Add(1)
}

// Leftovers is what items that have ended left.
func (r *Registry) Leftovers() []Leftover {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(r.allLeft(), r.working)
}

func (r *Registry) allLeft() []Leftover {
	out := make([]Leftover, 0, len(r.left))
	for p, l := range r.left {
		out = append(out, Leftover{p.task, p.item, l})
	}
	slices.SortFunc(out, func(a, b Leftover) int {
		return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Item, b.Item))
	})
	return out
}

// working reports whether the item may still settle l itself.
func (r *Registry) working(l Leftover) bool {
	t, err := r.find(l.Task)
	return err == nil && l.Item < len(t.view.Items) && !api.Ended(t.view.Items[l.Item].State)
}

// LeftBehind has a token when an item ended that has left something.
func (r *Registry) LeftBehind() <-chan struct{} { return r.behind }

// ended hears of every item's end.
func (r *Registry) ended(p place) {
	if _, owes := r.left[p]; !owes {
		return
	}
	select {
	case r.behind <- struct{}{}:
	default: // a token is there already
	}
}

// Cleared says that these leftovers are gone, or were none.
func (r *Registry) Cleared(list []Leftover) {
	if len(list) == 0 {
		return
	}
	r.mu.Lock()
	for _, l := range list {
		delete(r.left, place{l.Task, l.Item})
	}
	r.owed.version.Add(1)
	r.mu.Unlock()
	r.saveLeft()
}

func (r *Registry) loadLeft() error {
	var f storedLeft
	err := r.owed.load(&f)
	for _, l := range f.Left {
		r.left[place{l.Task, l.Item}] = l.Left
	}
	return err
}

func (r *Registry) saveLeft() {
	r.owed.save(func() ([]byte, error) {
		r.mu.Lock()
		f := storedLeft{schema, r.allLeft()}
		r.mu.Unlock()
		return json.Marshal(f)
	})
}
