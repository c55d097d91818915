package nodetest

import (
	"cmp"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/image"
)

// Answer makes h answer one kind of call, such as "GET /lun" or, of any task,
// "GET /tasks/", instead of the node; nil ends it. This is how a test makes a node hang, redirect or babble.
func (n *Node) Answer(call string, h http.HandlerFunc) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.answers == nil {
		n.answers = map[string]http.HandlerFunc{}
	}
	n.answers[call] = h
}

// Hang lets the caller wait until it gives up.
func Hang(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // else nobody notices that the caller left
	<-r.Context().Done()
}

// Put lays a file into the image folder.
func (n *Node) Put(file string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.files[file] = true
}

// Serve puts a target there that no call made, of a file outside of the folder.
func (n *Node) Serve(iqn, file string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.targets[iqn] = file
	n.tids[iqn] = len(n.tids) + 1
}

// size is that of every file, in bytes.
const size = 1 << 30

func (n *Node) capabilities(w http.ResponseWriter, _ *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	answer(w, http.StatusOK, api.Capabilities{
		Backend: n.Backend, BaseIQN: n.Base, FSType: "tmpfs", CD: n.servesCDs(), Clone: "full copy (in memory)", EmptyDisk: "sparse file",
		FreeBytes: 1 << 40, TotalBytes: 1 << 40, Targets: len(n.targets),
	})
}

func (n *Node) listTargets(w http.ResponseWriter, _ *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := []api.Target{}
	for _, iqn := range slices.Sorted(maps.Keys(n.targets)) {
		out = append(out, n.target(iqn))
	}
	answer(w, http.StatusOK, out)
}

func (n *Node) target(iqn string) api.Target {
	backing := "/images/" + n.targets[iqn]
	unit := api.LUN{Backing: &backing, Type: "disk", Size: size}
	if strings.HasSuffix(backing, ".iso") {
		unit.Type = "cd"
	}
	t := api.Target{IQN: iqn, Sessions: []api.Session{}, LUNs: []api.LUN{unit}}
	if n.Backend == "stgt" {
		tid := n.tids[iqn]
		t.TID, t.LUNs[0].LUN = &tid, 1
		t.LUNs = append([]api.LUN{{LUN: 0, Type: "controller"}}, t.LUNs...)
	}
	if who := n.inUse[iqn]; who != "" {
		address := "192.168.80.50"
		t.Sessions = append(t.Sessions, api.Session{Initiator: who, Address: &address})
	}
	return t
}

// Fence makes the node tell what is wrong with who uses its disks.
func (n *Node) Fence(f api.Fencing) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fence = f
}

func (n *Node) fencing(w http.ResponseWriter, _ *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f := n.fence
	f.ACL = cmp.Or(f.ACL, "all")
	f.Rivalries = append([]api.Rivalry{}, f.Rivalries...)
	f.Refusals = append([]api.Refusal{}, f.Refusals...)
	answer(w, http.StatusOK, f)
}

func (n *Node) listMasters(w http.ResponseWriter, _ *http.Request) {
	out := api.Masters{Masters: []api.Master{}}
	for _, f := range n.Files() {
		if _, err := image.ParseMaster(f); err == nil {
			out.Masters = append(out.Masters, api.Master{Name: f, Size: size, MTime: time.Date(2026, 7, 1, 8, 0, 0, 0, time.UTC)})
		}
	}
	answer(w, http.StatusOK, out)
}
