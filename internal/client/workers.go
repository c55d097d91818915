package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"ipxe-all-ready/internal/api"
)

// WorkerFilter chooses workers; the zero value takes all.
type WorkerFilter struct {
	Text  string // in id, host name or MAC
	State string
	OS    string
	Agent string // with a disk or CD there
	Bound *bool
	Limit int    // rows of a page; 0: no pages
	After string // Next of the page before
}

// Workers is one answer to a WorkerFilter.
type Workers struct {
	Rows      []api.Worker
	Next      string // where the next page begins; "" for the last
	Edition   string // to be handed in the next time
	Unchanged bool   // nothing has changed since the edition handed in; Rows is empty
}

func (f WorkerFilter) query() url.Values {
	q := url.Values{}
	for name, v := range map[string]string{"q": f.Text, "state": f.State, "os": f.OS, "agent": f.Agent, "cursor": f.After} {
		if v != "" {
			q.Set(name, v)
		}
	}
	if f.Bound != nil {
		q.Set("bound", strconv.FormatBool(*f.Bound))
	}
	if f.Limit > 0 {
		q.Set("limit", strconv.Itoa(f.Limit))
	}
	return q
}

// Workers lists them in natural order. edition is that of the answer that the
// caller holds to the same filter, "" for none.
func (c *ControlPlane) Workers(ctx context.Context, f WorkerFilter, edition string) (Workers, error) {
	var header map[string]string
	if edition != "" {
		header = map[string]string{"If-None-Match": edition}
	}
	out := Workers{}
	resp, err := c.get(ctx, "/workers", f.query(), header, &out.Rows)
	if err != nil {
		return Workers{}, err
	}
	out.Next, out.Edition = resp.Header().Get("X-Next-Cursor"), resp.Header().Get("ETag")
	out.Unchanged = resp.StatusCode() == http.StatusNotModified
	return out, nil
}

// Worker is one worker.
func (c *ControlPlane) Worker(ctx context.Context, id string) (api.Worker, error) {
	var out api.Worker
	_, err := c.get(ctx, at("workers", id), nil, nil, &out)
	return out, err
}

// WorkerStatus compares what the files say with what is really there.
func (c *ControlPlane) WorkerStatus(ctx context.Context, id string) (api.WorkerStatus, error) {
	var out api.WorkerStatus
	_, err := c.get(ctx, at("workers", id, "status"), nil, nil, &out)
	return out, err
}

// CreateWorker registers a machine.
func (c *ControlPlane) CreateWorker(ctx context.Context, in api.CreateWorker) (api.Changed, error) {
	var out api.Changed
	err := c.change(ctx, c.o.Long, http.MethodPost, "/workers", nil, in, &out)
	return out, err
}

// SetMAC binds a worker to another address.
func (c *ControlPlane) SetMAC(ctx context.Context, id, mac string) (api.Changed, error) {
	var out api.Changed
	err := c.change(ctx, c.o.Timeout, http.MethodPut, at("workers", id, "mac"), nil, api.SetMAC{MAC: mac}, &out)
	return out, err
}

// SetBoot changes what a worker boots.
func (c *ControlPlane) SetBoot(ctx context.Context, id string, in api.SetBoot) (api.Worker, error) {
	var out api.Worker
	err := c.change(ctx, c.o.Timeout, http.MethodPut, at("workers", id, "default-os"), nil, in, &out)
	return out, err
}

// Removal says how a deletion goes about what it finds.
type Removal struct {
	DeleteFile    bool // the image goes too
	IgnoreMissing bool // a target that is not there is no error
	Force         bool // even under a live session
}

// query names the options as the path at hand does.
func (r Removal) query(file, missing string) url.Values {
	return url.Values{
		file: {strconv.FormatBool(r.DeleteFile)}, missing: {strconv.FormatBool(r.IgnoreMissing)}, "force": {strconv.FormatBool(r.Force)},
	}
}

// DeleteWorker removes a worker and all it has.
func (c *ControlPlane) DeleteWorker(ctx context.Context, id string, r Removal) (api.WorkerDeleted, error) {
	var out api.WorkerDeleted
	err := c.change(ctx, c.o.Long, http.MethodDelete, at("workers", id), r.query("delete_disk", "ignore_missing_target"), nil, &out)
	return out, err
}
