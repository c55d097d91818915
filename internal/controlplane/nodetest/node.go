// Package nodetest is a storage node in memory that speaks the agent's REST
// contract over real HTTP, for tests of the control plane. It passes the same
// suite as the agent, and can be told to hang, to refuse and to have live
// sessions.
package nodetest

import (
	"net/http"
	"net/http/httptest"
	"slices"
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
	tids    map[string]int    // IQN → target number, of those that ever stood
	notes   map[string]string // IQN → file, where the file's name does not tell the IQN
	files   map[string]bool
	inUse   map[string]string // IQN → initiator
	fence   api.Fencing       // see Fence
	refuse  string            // words of a 500 for every change
	gate    chan struct{}     // while set, changes wait for it
	calls   []string
	answers map[string]http.HandlerFunc // see Answer

	busy, most int
	copies     map[string]*copying // nil: no tasks; see OfferTasks
	started    int
}

// New is a node that answers where its handler is served. It holds one master,
// master_tpl_1.img, and one ISO, win.iso.
func New() *Node {
	return &Node{
		Token: "node-token", Base: "iqn.2026-07.com.controller", Backend: "stgt",
		targets: map[string]string{}, tids: map[string]int{}, notes: map[string]string{}, inUse: map[string]string{},
		files: map[string]bool{"master_tpl_1.img": true, "win.iso": true},
	}
}

// Start runs a new node until the test ends.
func Start(t *testing.T) *Node {
	t.Helper()
	n := New()
	s := httptest.NewServer(n.Handler())
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

// Lose takes a file from the image folder.
func (n *Node) Lose(file string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.files, file)
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
