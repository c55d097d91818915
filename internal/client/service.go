package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"ipxe-all-ready/internal/api"
)

// OperationsQuery chooses entries of the audit trail; the zero value takes
// them from the first on.
type OperationsQuery struct {
	Since, Before int64
	Limit, Tail   int
	Op, Status    string
	WorkerID      string
}

// Operations is one page of the audit trail.
func (c *ControlPlane) Operations(ctx context.Context, o OperationsQuery) (api.Operations, error) {
	q := url.Values{}
	for name, n := range map[string]int64{"since": o.Since, "before": o.Before, "limit": int64(o.Limit), "tail": int64(o.Tail)} {
		if n != 0 {
			q.Set(name, strconv.FormatInt(n, 10))
		}
	}
	for name, v := range map[string]string{"op": o.Op, "status": o.Status, "worker_id": o.WorkerID} {
		if v != "" {
			q.Set(name, v)
		}
	}
	var out api.Operations
	_, err := c.get(ctx, "/operations", q, nil, &out)
	return out, err
}

// AutoRegister says whether new machines are registered.
func (c *ControlPlane) AutoRegister(ctx context.Context) (api.AutoRegister, error) {
	var out api.AutoRegister
	_, err := c.get(ctx, "/settings/auto-register", nil, nil, &out)
	return out, err
}

// SetAutoRegister switches that.
func (c *ControlPlane) SetAutoRegister(ctx context.Context, enabled bool) (api.AutoRegister, error) {
	var out api.AutoRegister
	err := c.change(ctx, c.o.Timeout, http.MethodPut, "/settings/auto-register", nil, api.AutoRegister{Enabled: enabled}, &out)
	return out, err
}

// Health asks whether the process lives; it needs no token.
func (c *ControlPlane) Health(ctx context.Context) error {
	_, err := c.get(ctx, "/healthz", nil, nil, nil)
	return err
}

// Ready asks whether it can do its work; a control plane that says no, and
// why, is no error.
func (c *ControlPlane) Ready(ctx context.Context) (api.Ready, error) {
	var out api.Ready
	resp, err := c.get(ctx, "/readyz", nil, nil, &out)
	if resp != nil && resp.StatusCode() == http.StatusServiceUnavailable &&
		json.Unmarshal(resp.Body(), &out) == nil && out.Status != "" {
		return out, nil
	}
	return out, err
}

// Version says which build answers.
func (c *ControlPlane) Version(ctx context.Context) (api.Version, error) {
	var out api.Version
	_, err := c.get(ctx, "/version", nil, nil, &out)
	return out, err
}

// BootScript is what a machine is told. It is a boot: a MAC that is not known
// is registered.
func (c *ControlPlane) BootScript(ctx context.Context, mac, hostname string) (string, error) {
	var out string
	_, err := c.get(ctx, "/boot-vars", url.Values{"mac": {mac}, "hostname": {hostname}}, nil, &out)
	return out, err
}

// BootVars is the same as JSON.
func (c *ControlPlane) BootVars(ctx context.Context, mac, hostname string) (api.BootVars, error) {
	var out api.BootVars
	_, err := c.get(ctx, "/boot-vars", url.Values{"mac": {mac}, "hostname": {hostname}, "format": {"json"}}, nil, &out)
	return out, err
}

// Metrics is a scrape in Prometheus' text format.
func (c *ControlPlane) Metrics(ctx context.Context) (string, error) {
	var out string
	_, err := c.get(ctx, "/metrics", nil, nil, &out)
	return out, err
}

// Document is the API's OpenAPI document.
func (c *ControlPlane) Document(ctx context.Context) (json.RawMessage, error) {
	var out json.RawMessage
	_, err := c.get(ctx, "/openapi.json", nil, nil, &out)
	return out, err
}
