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

// call sends one request and reads its answer into out. Whatever goes wrong
// comes back as a *fault.Error that names the node.
func (a *Agent) call(ctx context.Context, limit time.Duration, method, path string, query url.Values, in, out any) error {
	start := time.Now()
	_, err := do(ctx, a.r, a.peer(), exchange{method: method, path: path, limit: limit, query: query, in: in, out: out})
	if a.o.Observe != nil {
		a.o.Observe(method+" "+route(path), err, time.Since(start))
	}
	return err
}

func (a *Agent) peer() peer { return peer{codes: "agent", agent: a.o.ID, name: "agent " + a.o.ID} }

// route is path without the ids in it.
func route(path string) string {
	if strings.HasPrefix(path, "/tasks/") {
		return "/tasks/{id}"
	}
	return path
}

// Health asks whether the process lives; it needs no token.
func (a *Agent) Health(ctx context.Context) error {
	return a.call(ctx, a.o.Timeout, http.MethodGet, "/healthz", nil, nil, nil)
}

// Capabilities asks what the node can do.
func (a *Agent) Capabilities(ctx context.Context) (api.Capabilities, error) {
	var out api.Capabilities
	err := a.call(ctx, a.o.Timeout, http.MethodGet, "/capabilities", nil, nil, &out)
	return out, err
}

// Targets lists what the node's iSCSI server shows.
func (a *Agent) Targets(ctx context.Context) ([]api.Target, error) {
	var out []api.Target
	err := a.call(ctx, a.o.Timeout, http.MethodGet, "/lun", nil, nil, &out)
	return out, err
}

// CreateDisk makes and exports a disk and returns when it stands.
func (a *Agent) CreateDisk(ctx context.Context, in api.CreateLUN) (api.LUNCreated, error) {
	var out api.LUNCreated
	err := a.call(ctx, max(a.o.Clone, a.o.Timeout), http.MethodPost, "/lun/disk", nil, in, &out)
	return out, err
}

// CreateCD exports an ISO that lies on the node.
func (a *Agent) CreateCD(ctx context.Context, in api.CreateCD) (api.LUNCreated, error) {
	var out api.LUNCreated
	err := a.call(ctx, a.o.Timeout, http.MethodPost, "/lun/cd", nil, in, &out)
	return out, err
}

// DeleteLUN removes a target, and its file when asked. A target that is not
// there is fault.NotFound, one with a live session fault.InUse unless force.
func (a *Agent) DeleteLUN(ctx context.Context, iqn string, deleteFile, force bool) error {
	q := url.Values{"iqn": {iqn}, "delete_file": {strconv.FormatBool(deleteFile)}, "force": {strconv.FormatBool(force)}}
	return a.call(ctx, a.o.Timeout, http.MethodDelete, "/lun", q, nil, nil)
}

// Masters lists the golden images.
func (a *Agent) Masters(ctx context.Context) (api.Masters, error) {
	var out api.Masters
	err := a.call(ctx, a.o.Timeout, http.MethodGet, "/masters", nil, nil, &out)
	return out, err
}

// Scan exports every image that has no target.
func (a *Agent) Scan(ctx context.Context) (api.Scan, error) {
	var out api.Scan
	err := a.call(ctx, max(a.o.Clone, a.o.Timeout), http.MethodPost, "/lun/scan", nil, nil, &out)
	return out, err
}
