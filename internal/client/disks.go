package client

import (
	"context"
	"net/http"

	"ipxe-all-ready/internal/api"
)

// CreateDisk makes a worker's disk and returns when it stands, which a full
// copy lets wait for many minutes; see StartDisk.
func (c *ControlPlane) CreateDisk(ctx context.Context, worker string, in api.CreateDisk) (api.Worker, error) {
	var out api.Worker
	err := c.change(ctx, c.o.Long, http.MethodPost, at("workers", worker, "luns", "disk"), nil, in, &out)
	return out, err
}

// StartDisk begins to make a worker's disk and returns the task's id.
func (c *ControlPlane) StartDisk(ctx context.Context, worker string, in api.CreateDisk) (task string, err error) {
	return c.started(ctx, at("workers", worker, "luns", "disk"), in)
}

// DeleteDisk removes a worker's disk for one system.
func (c *ControlPlane) DeleteDisk(ctx context.Context, worker, os string, r Removal) (api.Worker, error) {
	var out api.Worker
	err := c.change(ctx, c.o.Long, http.MethodDelete, at("workers", worker, "luns", "disk", os), r.query("delete_file", "ignore_missing_target"), nil, &out)
	return out, err
}

// AttachCD attaches an installation CD.
func (c *ControlPlane) AttachCD(ctx context.Context, worker string, in api.AttachCD) (api.Worker, error) {
	var out api.Worker
	err := c.change(ctx, c.o.Long, http.MethodPost, at("workers", worker, "luns", "cd"), nil, in, &out)
	return out, err
}

// DetachCD detaches it; the ISO stays, whatever r.DeleteFile says.
func (c *ControlPlane) DetachCD(ctx context.Context, worker string, r Removal) (api.Worker, error) {
	r.DeleteFile = false
	var out api.Worker
	err := c.change(ctx, c.o.Long, http.MethodDelete, at("workers", worker, "luns", "cd"), r.query("delete_file", "ignore_missing_target"), nil, &out)
	return out, err
}

// CreateDisks makes one disk for each of many workers and returns how each went.
func (c *ControlPlane) CreateDisks(ctx context.Context, in api.CreateDisks) (api.DisksCreated, error) {
	var out api.DisksCreated
	err := c.change(ctx, c.o.Long, http.MethodPost, "/workers/luns/disk/batch", nil, in, &out)
	return out, err
}

// StartDisks begins that and returns the task's id.
func (c *ControlPlane) StartDisks(ctx context.Context, in api.CreateDisks) (task string, err error) {
	return c.started(ctx, "/workers/luns/disk/batch", in)
}

// DeleteWorkers deletes many workers and returns how each went.
func (c *ControlPlane) DeleteWorkers(ctx context.Context, in api.DeleteWorkers) (api.WorkersDeleted, error) {
	var out api.WorkersDeleted
	err := c.change(ctx, c.o.Long, http.MethodPost, "/workers/delete/batch", nil, in, &out)
	return out, err
}

// StartDeleteWorkers begins that and returns the task's id.
func (c *ControlPlane) StartDeleteWorkers(ctx context.Context, in api.DeleteWorkers) (task string, err error) {
	return c.started(ctx, "/workers/delete/batch", in)
}

// Tasks lists what takes long, the newest first.
func (c *ControlPlane) Tasks(ctx context.Context) ([]api.Task, error) {
	var out []api.Task
	_, err := c.get(ctx, "/tasks", nil, nil, &out)
	return out, err
}

// Task is one task.
func (c *ControlPlane) Task(ctx context.Context, id string) (api.Task, error) {
	var out api.Task
	_, err := c.get(ctx, at("tasks", id), nil, nil, &out)
	return out, err
}

// CancelTask cancels what of a task has not finished.
func (c *ControlPlane) CancelTask(ctx context.Context, id string) (api.Task, error) {
	var out api.Task
	err := c.change(ctx, c.o.Timeout, http.MethodDelete, at("tasks", id), nil, nil, &out)
	return out, err
}
