// Package nodetest is a storage node in memory that speaks the agent's REST
// contract over real HTTP, for tests of the control plane. It can be told to
// hang, to refuse and to have live sessions.
package nodetest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"ipxe-all-ready/internal/api"
)

// Node is one storage node.
type Node struct {
	URL     string
	Token   string
	Base    string // its base IQN
	Backend string

	mu      sync.Mutex
	targets map[string]string // IQN → file
	files   map[string]bool
	inUse   map[string]string // IQN → initiator
	refuse  string            // words of a 500 for every change
	gate    chan struct{}     // while set, changes wait for it
	calls   []string
	answers map[string]http.HandlerFunc // see Answer

	busy, most int
	copies     map[string]*copying // nil: no tasks; see OfferTasks
	started    int
}

// Start runs a node until the test ends. It holds one master, master_tpl_1.img,
// and one ISO, win.iso.
func Start(t *testing.T) *Node {
	t.Helper()
	n := &Node{
		Token: "node-token", Base: "iqn.2026-07.com.controller", Backend: "stgt",
		targets: map[string]string{}, inUse: map[string]string{},
		files: map[string]bool{"master_tpl_1.img": true, "win.iso": true},
	}
	s := httptest.NewServer(n.routes())
	t.Cleanup(s.Close)
	t.Cleanup(n.Release)
	n.URL = s.URL
	return n
}

// Hold makes every change wait until Release.
func (n *Node) Hold() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.gate = make(chan struct{})
}

// Release lets the waiting changes go on.
func (n *Node) Release() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.gate != nil {
		close(n.gate)
		n.gate = nil
	}
}

// Refuse makes every change a 500 with these words; "" ends it.
func (n *Node) Refuse(words string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refuse = words
}

// Use logs an initiator in to a target.
func (n *Node) Use(iqn, initiator string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.inUse[iqn] = initiator
}

// Drop removes a target behind the control plane's back; its file stays.
func (n *Node) Drop(iqn string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.targets, iqn)
}

// Targets lists the IQNs that stand, sorted.
func (n *Node) Targets() []string { return n.sorted(func() []string { return keys(n.targets) }) }

// Files lists the image folder, sorted.
func (n *Node) Files() []string { return n.sorted(func() []string { return keys(n.files) }) }

// Calls lists what was asked so far, as "POST /lun/disk".
func (n *Node) Calls() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.calls)
}

func (n *Node) sorted(list func() []string) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := list()
	slices.Sort(out)
	return out
}

func keys[V any](m map[string]V) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	return out
}

func (n *Node) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, map[string]string{"status": "ok"}) })
	mux.HandleFunc("GET /capabilities", n.checked(n.capabilities))
	mux.HandleFunc("GET /lun", n.checked(n.listTargets))
	mux.HandleFunc("GET /masters", n.checked(n.listMasters))
	mux.HandleFunc("POST /lun/scan", n.checked(n.change(n.scan)))
	mux.HandleFunc("POST /lun/disk", n.checked(n.disk))
	mux.HandleFunc("GET /tasks/{id}", n.checked(n.getTask))
	mux.HandleFunc("DELETE /tasks/{id}", n.checked(n.cancelTask))
	mux.HandleFunc("POST /lun/cd", n.checked(n.change(n.createCD)))
	mux.HandleFunc("DELETE /lun", n.checked(n.change(n.deleteLUN)))
	return mux
}

// checked refuses a wrong token and notes the call.
func (n *Node) checked(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+n.Token {
			refuse(w, 401, "unauthorized", "unauthorized")
			return
		}
		n.mu.Lock()
		n.calls = append(n.calls, r.Method+" "+r.URL.Path)
		instead := n.answers[r.Method+" "+r.URL.Path]
		n.mu.Unlock()
		if instead != nil {
			instead(w, r)
			return
		}
		h(w, r)
	}
}

// change waits at the gate, then runs h alone.
func (n *Node) change(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		defer n.working()()
		n.mu.Lock()
		gate := n.gate
		n.mu.Unlock()
		if gate != nil {
			<-gate
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.refuse != "" {
			refuse(w, 500, "internal", n.refuse)
			return
		}
		h(w, r)
	}
}

func (n *Node) capabilities(w http.ResponseWriter, _ *http.Request) {
	answer(w, 200, api.Capabilities{Backend: n.Backend, BaseIQN: n.Base, FSType: "tmpfs", CD: true})
}

func (n *Node) createDisk(w http.ResponseWriter, r *http.Request) {
	var in api.CreateLUN
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		refuse(w, 400, "invalid", err.Error())
		return
	}
	_, stands := n.targets[in.IQN]
	switch {
	case in.Master != "" && !n.files[in.Master]:
		refuse(w, 404, "not_found", "master "+in.Master+" not found")
		return
	case in.Existing && !n.files[in.Filename]:
		refuse(w, 404, "not_found", "file "+in.Filename+" not found")
		return
	case !in.Existing && (stands || n.files[in.Filename]):
		refuse(w, 409, "exists", "file "+in.Filename+" exists")
		return
	}
	n.files[in.Filename] = true
	n.targets[in.IQN] = in.Filename
	answer(w, 201, api.LUNCreated{IQN: in.IQN, Backing: "/images/" + in.Filename})
}

func (n *Node) createCD(w http.ResponseWriter, r *http.Request) {
	var in api.CreateCD
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		refuse(w, 400, "invalid", err.Error())
		return
	}
	if in.IQN == "" {
		in.IQN = n.Base + ":" + in.ISO
	}
	if _, stands := n.targets[in.IQN]; stands {
		refuse(w, 409, "exists", "iqn "+in.IQN+" exists")
		return
	}
	if !n.files[in.ISO] {
		refuse(w, 404, "not_found", "iso "+in.ISO+" not found")
		return
	}
	n.targets[in.IQN] = in.ISO
	answer(w, 201, api.LUNCreated{IQN: in.IQN, Backing: "/images/" + in.ISO})
}

func (n *Node) deleteLUN(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	iqn := q.Get("iqn")
	file, stands := n.targets[iqn]
	if !stands {
		refuse(w, 404, "not_found", "iqn not found")
		return
	}
	if who := n.inUse[iqn]; who != "" && q.Get("force") != "true" {
		refuse(w, 409, "target_in_use", "target "+iqn+" is in use by "+who)
		return
	}
	delete(n.targets, iqn)
	delete(n.inUse, iqn)
	if q.Get("delete_file") == "true" && !strings.Contains(file, "_tpl_") {
		delete(n.files, file)
	}
	answer(w, 200, api.LUNDeleted{Deleted: iqn, DeleteFile: q.Get("delete_file") == "true"})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a caller that left has no use for it
}

func refuse(w http.ResponseWriter, status int, code, words string) {
	answer(w, status, api.Error{Detail: words, Code: code})
}
