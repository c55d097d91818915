package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/secret"
)

// AgentOptions say which node to call and how long to wait for it.
type AgentOptions struct {
	ID      string // named in errors
	BaseURL string
	Token   secret.Text
	Timeout time.Duration // of every call but the creation of a disk
	Clone   time.Duration // of the creation of a disk: a full copy may take long
	HTTP    *http.Client  // shared by all nodes; see NewHTTP

	Observe func(route string, err error, took time.Duration) // after every call; nil: nobody listens
}

// Agent calls one storage node.
type Agent struct {
	o AgentOptions
	r *resty.Client
}

// NewAgent makes no call.
func NewAgent(o AgentOptions) *Agent {
	return &Agent{o: o, r: newResty(o.HTTP, o.BaseURL, o.Token)}
}

// call is one request whose answer is a T that agreed finds nothing wrong with.
// Whatever goes wrong comes back as a *fault.Error that names the node.
func call[T any](ctx context.Context, a *Agent, x exchange, agreed func(*T) string) (T, error) {
	var out T
	x.out, x.differs = &out, func() string { return agreed(&out) }
	x.limit = max(x.limit, a.o.Timeout)
	if x.most == 0 {
		x.most = maxObject
	}
	start := time.Now()
	_, err := do(ctx, a.r, a.peer(), x)
	if a.o.Observe != nil {
		a.o.Observe(x.method+" "+route(x.path), err, time.Since(start))
	}
	return out, err
}

func (a *Agent) peer() peer {
	return peer{codes: "agent", agent: a.o.ID, name: "agent " + a.o.ID, token: a.o.Token}
}

// route is path without the ids in it.
func route(path string) string {
	if strings.HasPrefix(path, "/tasks/") {
		return "/tasks/{id}"
	}
	return path
}

// Health asks whether the process lives; it needs no token.
func (a *Agent) Health(ctx context.Context) error {
	_, err := call(ctx, a, exchange{method: http.MethodGet, path: "/healthz"}, healthAgreed)
	return err
}

// Capabilities asks what the node can do. Its base IQN parses and its backend
// is one that we know.
func (a *Agent) Capabilities(ctx context.Context) (api.Capabilities, error) {
	return call(ctx, a, exchange{method: http.MethodGet, path: "/capabilities"}, capabilitiesAgreed)
}

// Targets lists what the node's iSCSI server shows.
func (a *Agent) Targets(ctx context.Context) ([]api.Target, error) {
	return call(ctx, a, exchange{method: http.MethodGet, path: "/lun", most: maxAnswer}, targetsAgreed)
}

// Fencing asks what is wrong with who uses the node's disks. A node that is too
// old to tell is fault.NotFound.
func (a *Agent) Fencing(ctx context.Context) (api.Fencing, error) {
	return call(ctx, a, exchange{method: http.MethodGet, path: "/fencing"}, fencingAgreed)
}

// CreateDisk makes and exports a disk and returns when it stands.
func (a *Agent) CreateDisk(ctx context.Context, in api.CreateLUN) (api.LUNCreated, error) {
	return call(ctx, a, exchange{method: http.MethodPost, path: "/lun/disk", limit: a.o.Clone, in: in}, createdAs(in.IQN))
}

// CreateCD exports an ISO that lies on the node.
func (a *Agent) CreateCD(ctx context.Context, in api.CreateCD) (api.LUNCreated, error) {
	return call(ctx, a, exchange{method: http.MethodPost, path: "/lun/cd", in: in}, createdAs(in.IQN))
}

// DeleteLUN removes a target, and its file when asked. A target that is not
// there is fault.NotFound, one with a live session fault.InUse unless force.
func (a *Agent) DeleteLUN(ctx context.Context, iqn string, deleteFile, force bool) error {
	q := url.Values{"iqn": {iqn}, "delete_file": {strconv.FormatBool(deleteFile)}, "force": {strconv.FormatBool(force)}}
	_, err := call(ctx, a, exchange{method: http.MethodDelete, path: "/lun", query: q}, deletedAgreed(iqn))
	return err
}

// Masters lists the golden images.
func (a *Agent) Masters(ctx context.Context) (api.Masters, error) {
	return call(ctx, a, exchange{method: http.MethodGet, path: "/masters", most: maxAnswer}, mastersAgreed)
}

// Scan exports every image that has no target.
func (a *Agent) Scan(ctx context.Context) (api.Scan, error) {
	return call(ctx, a, exchange{method: http.MethodPost, path: "/lun/scan", limit: a.o.Clone, most: maxAnswer}, scanAgreed)
}
