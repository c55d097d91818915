package nodetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"ipxe-all-ready/internal/api"
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
	n.mu.Lock()
	async := n.copies != nil && r.Header.Get("Prefer") == "respond-async"
	n.mu.Unlock()
	if !async {
		n.change(n.createDisk)(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body) // what is cut short is refused as no JSON
	id := n.startCopy(body)
	w.Header().Set("Location", "/tasks/"+id)
	answer(w, 202, api.TaskStarted{TaskID: id})
}

func (n *Node) startCopy(body []byte) (id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.started++
	id = fmt.Sprintf("copy-%d", n.started)
	c := &copying{view: api.AgentTask{ID: id, Kind: "disk", State: api.TaskRunning}, cancelled: make(chan struct{})}
	n.copies[id] = c
	gate := n.gate
	go n.copy(c, gate, body)
	return id
}

// copy ends when the gate opens, or when it is cancelled.
func (n *Node) copy(c *copying, gate <-chan struct{}, body []byte) {
	defer n.working()()
	if gate != nil {
		select {
		case <-gate:
		case <-c.cancelled:
			return
		}
	}
	r := httptest.NewRequest("POST", "/lun/disk", bytes.NewReader(body))
	w := httptest.NewRecorder()
	n.mu.Lock()
	defer n.mu.Unlock()
	if api.Ended(c.view.State) {
		return
	}
	if n.refuse != "" {
		refuse(w, 500, "internal", n.refuse)
	} else {
		n.createDisk(w, r)
	}
	c.finish(w)
}

func (c *copying) finish(w *httptest.ResponseRecorder) {
	if w.Code == http.StatusCreated {
		c.view.State, c.view.Result = api.TaskSucceeded, new(api.LUNCreated)
		_ = json.Unmarshal(w.Body.Bytes(), c.view.Result) // we wrote it
		return
	}
	var e struct{ Detail, Code string }
	_ = json.Unmarshal(w.Body.Bytes(), &e) // so we did that
	c.view.State, c.view.Error, c.view.Code = api.TaskFailed, e.Detail, e.Code
}

// cancel ends a copy that has not ended. The caller holds the lock.
func (c *copying) cancel() {
	if !api.Ended(c.view.State) {
		c.view.State = api.TaskCancelled
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
		refuse(w, 404, "not_found", "task not found")
		return
	}
	do(c)
	answer(w, 200, c.view)
}
