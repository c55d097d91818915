package nodetest

import (
	"fmt"
	"net/http"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/httpx"
)

// copying is one disk being made as a task.
type copying struct {
	view      api.AgentTask
	cancelled chan struct{}
}

// OfferTasks makes the node answer Prefer: respond-async with a task, as one
// does that can be asked for the progress of a copy.
func (n *Node) OfferTasks() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.copies = map[string]*copying{}
}

// Grow says how far every copy under way is, in bytes.
func (n *Node) Grow(done, total int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.copies {
		if !api.Ended(c.view.State) {
			c.view.BytesDone, c.view.BytesTotal = done, total
		}
	}
}

// Forget loses all tasks, as a node does that is started anew.
func (n *Node) Forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.copies {
		c.cancel()
	}
	n.copies = map[string]*copying{}
}

// Busy is how many changes and copies are under way, and the most there ever were.
func (n *Node) Busy() (now, most int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.busy, n.most
}

// working counts one more change under way; done ends it.
func (n *Node) working() (done func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.busy++
	n.most = max(n.most, n.busy)
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.busy--
	}
}

// disk answers POST /lun/disk by a task where the node has them and the caller
// wants one.
func (n *Node) disk(w http.ResponseWriter, r *http.Request) {
	d, err := n.readDisk(r.Body)
	if err != nil {
		fail(w, err)
		return
	}
	n.mu.Lock()
	async := n.copies != nil && httpx.PrefersAsync(r.Header)
	n.mu.Unlock()
	if async {
		id := n.startCopy(d)
		w.Header().Set("Location", "/tasks/"+id)
		w.Header().Set("Preference-Applied", "respond-async")
		answer(w, http.StatusAccepted, api.TaskStarted{TaskID: id})
		return
	}
	n.change(func(w http.ResponseWriter, _ *http.Request) {
		made, err := n.makeDisk(d)
		if err != nil {
			fail(w, err)
			return
		}
		answer(w, http.StatusCreated, made)
	})(w, r)
}

func (n *Node) startCopy(d wanted) (id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.started++
	id = fmt.Sprintf("copy-%d", n.started)
	c := &copying{cancelled: make(chan struct{}),
		view: api.AgentTask{ID: id, Kind: "disk", State: api.TaskRunning, IQN: d.iqn.String(), StartedAt: time.Now().UTC()}}
	n.copies[id] = c
	gate := n.gate
	go n.copy(c, gate, d)
	return id
}

// copy ends when the gate opens, or when it is cancelled.
func (n *Node) copy(c *copying, gate <-chan struct{}, d wanted) {
	defer n.working()()
	if gate != nil {
		select {
		case <-gate:
		case <-c.cancelled:
			return
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if api.Ended(c.view.State) {
		return
	}
	err := n.refused()
	var made api.LUNCreated
	if err == nil {
		made, err = n.makeDisk(d)
	}
	if err != nil {
		c.view.Error, c.view.Code = fault.Sentence(err), fault.KindOf(err).Code()
		c.end(api.TaskFailed)
		return
	}
	c.view.Result, c.view.Clone = &made, made.Clone
	c.end(api.TaskSucceeded)
}

func (c *copying) end(state string) {
	now := time.Now().UTC()
	c.view.State, c.view.EndedAt = state, &now
}

// cancel ends a copy that has not ended. The caller holds the lock.
func (c *copying) cancel() {
	if !api.Ended(c.view.State) {
		c.end(api.TaskCancelled)
		close(c.cancelled)
	}
}

func (n *Node) getTask(w http.ResponseWriter, r *http.Request)    { n.task(w, r, func(*copying) {}) }
func (n *Node) cancelTask(w http.ResponseWriter, r *http.Request) { n.task(w, r, (*copying).cancel) }

func (n *Node) task(w http.ResponseWriter, r *http.Request, do func(*copying)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	c, ok := n.copies[r.PathValue("id")]
	if !ok {
		fail(w, fault.New(fault.NotFound, "task not found"))
		return
	}
	do(c)
	answer(w, 200, c.view)
}
