package nodetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

// Handler answers what an agent does.
func (n *Node) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", n.open(func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, map[string]string{"status": "ok"}) }))
	mux.HandleFunc("GET /capabilities", n.checked(n.capabilities))
	mux.HandleFunc("GET /lun", n.checked(n.listTargets))
	mux.HandleFunc("GET /fencing", n.checked(n.fencing))
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
		n.mu.Lock()
		w.Header().Set(api.HeaderRequestID, fmt.Sprintf("node-%d", len(n.calls)))
		if r.Header.Get("Authorization") != "Bearer "+n.Token {
			n.mu.Unlock()
			fail(w, fault.New(fault.Unauthorized, "unauthorized"))
			return
		}
		n.calls = append(n.calls, r.Method+" "+r.URL.Path)
		n.mu.Unlock()
		n.open(h)(w, r)
	}
}

// open answers a call as it was told to by Answer, else by h.
func (n *Node) open(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n.mu.Lock()
		instead := n.answers[r.Method+" "+r.URL.Path]
		if instead == nil && strings.HasPrefix(r.URL.Path, "/tasks/") {
			instead = n.answers[r.Method+" /tasks/"]
		}
		n.mu.Unlock()
		if instead != nil {
			h = instead
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
		if err := n.refused(); err != nil {
			fail(w, err)
			return
		}
		h(w, r)
	}
}

// refused is what Refuse said. The caller holds the lock.
func (n *Node) refused() error {
	if n.refuse == "" {
		return nil
	}
	return fault.New(fault.Internal, "%s", n.refuse)
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a caller that left has no use for it
}

var statuses = map[fault.Kind]int{
	fault.Invalid: 400, fault.Unsupported: 400, fault.Unauthorized: 401, fault.NotFound: 404,
	fault.Exists: 409, fault.InUse: 409, fault.Conflict: 409, fault.Internal: 500,
}

func fail(w http.ResponseWriter, err error) {
	answer(w, statuses[fault.KindOf(err)], api.Error{Detail: fault.Sentence(err), Code: fault.CodeOf(err), RequestID: w.Header().Get(api.HeaderRequestID)})
}
