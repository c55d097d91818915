package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

// preferAsync asks for a task instead of an answer that takes long.
var preferAsync = map[string]string{"Prefer": "respond-async"}

// CreateDiskAsync makes and exports a disk. A node with tasks answers at once
// with the id of one; another answers when the disk stands, which may take as
// long as CreateDisk, and task is empty.
func (a *Agent) CreateDiskAsync(ctx context.Context, in api.CreateLUN) (made api.LUNCreated, task string, err error) {
	var out struct {
		api.LUNCreated
		api.TaskStarted
	}
	start := time.Now()
	_, err = do(ctx, a.r, a.peer(), exchange{
		method: http.MethodPost, path: "/lun/disk", limit: max(a.o.Clone, a.o.Timeout), header: preferAsync, in: in, out: &out,
	})
	if a.o.Observe != nil {
		a.o.Observe(http.MethodPost+" /lun/disk", err, time.Since(start))
	}
	return out.LUNCreated, out.TaskID, err
}

// Task asks how far a copy is.
func (a *Agent) Task(ctx context.Context, id string) (api.AgentTask, error) {
	var out api.AgentTask
	err := a.call(ctx, a.o.Timeout, http.MethodGet, "/tasks/"+url.PathEscape(id), nil, nil, &out)
	out.Error = fault.ClipWords(out.Error)
	return out, err
}

// CancelTask stops a copy and returns how the task stands then; it may have
// ended before. A task that the node does not know is fault.NotFound.
func (a *Agent) CancelTask(ctx context.Context, id string) (api.AgentTask, error) {
	var out api.AgentTask
	err := a.call(ctx, a.o.Timeout, http.MethodDelete, "/tasks/"+url.PathEscape(id), nil, nil, &out)
	out.Error = fault.ClipWords(out.Error)
	return out, err
}
