package nodetest

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"ipxe-all-ready/internal/api"
)

// Answer makes h answer one kind of call, such as "GET /lun", instead of the
// node; nil ends it. This is how a test makes a node hang, redirect or babble.
func (n *Node) Answer(call string, h http.HandlerFunc) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.answers == nil {
		n.answers = map[string]http.HandlerFunc{}
	}
	n.answers[call] = h
}

// Hang lets the caller of a read wait until it gives up.
func Hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// Put lays a file into the image folder.
func (n *Node) Put(file string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.files[file] = true
}

func (n *Node) listTargets(w http.ResponseWriter, _ *http.Request) {
	out := []api.Target{}
	for _, iqn := range n.Targets() {
		out = append(out, n.target(iqn))
	}
	answer(w, 200, out)
}

func (n *Node) target(iqn string) api.Target {
	n.mu.Lock()
	defer n.mu.Unlock()
	backing := "/images/" + n.targets[iqn]
	t := api.Target{IQN: iqn, Sessions: []api.Session{},
		LUNs: []api.LUN{{LUN: 0, Type: "controller"}, {LUN: 1, Backing: &backing, Type: "disk", Size: 1 << 30}}}
	if who := n.inUse[iqn]; who != "" {
		address := "192.168.80.50"
		t.Sessions = append(t.Sessions, api.Session{Initiator: who, Address: &address})
	}
	return t
}

func (n *Node) listMasters(w http.ResponseWriter, _ *http.Request) {
	out := api.Masters{Masters: []api.Master{}}
	for _, f := range n.Files() {
		if strings.Contains(f, "_tpl_") {
			out.Masters = append(out.Masters, api.Master{Name: f, Size: 1 << 30, MTime: time.Date(2026, 7, 1, 8, 0, 0, 0, time.UTC)})
		}
	}
	answer(w, 200, out)
}

// scan exports every file that has no target, masters excepted.
func (n *Node) scan(w http.ResponseWriter, _ *http.Request) {
	out := api.Scan{Created: []api.Scanned{}, Skipped: []string{}}
	files := keys(n.files)
	slices.Sort(files)
	for _, f := range files {
		iqn := n.Base + ":" + strings.TrimSuffix(f, ".img")
		if _, stands := n.targets[iqn]; stands || strings.Contains(f, "_tpl_") {
			out.Skipped = append(out.Skipped, f)
			continue
		}
		n.targets[iqn] = f
		out.Created = append(out.Created, api.Scanned{IQN: iqn, CD: strings.HasSuffix(f, ".iso")})
	}
	answer(w, 200, out)
}
