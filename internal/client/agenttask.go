package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

// preferAsync asks for a task instead of an answer that takes long.
var preferAsync = map[string]string{"Prefer": "respond-async"}

// CreateDiskAsync makes and exports a disk. A node with tasks answers at once
// with the id of one; another answers when the disk stands, which may take as
// long as CreateDisk, and task is empty.
func (a *Agent) CreateDiskAsync(ctx context.Context, in api.CreateLUN) (made api.LUNCreated, task string, err error) {
	type answer struct {
		api.LUNCreated
		api.TaskStarted
	}
	x := exchange{method: http.MethodPost, path: "/lun/disk", limit: a.o.Clone, header: preferAsync, in: in}
	out, err := call(ctx, a, x, func(w *answer) string {
		if w.TaskID != "" {
			if !isTask(w.TaskID) {
				return fmt.Sprintf("its task is %q", fault.Clip(w.TaskID))
			}
			return ""
		}
		return createdAgreed(&w.LUNCreated)
	})
	return out.LUNCreated, out.TaskID, err
}

// Task asks how far a copy is.
func (a *Agent) Task(ctx context.Context, id string) (api.AgentTask, error) {
	return call(ctx, a, exchange{method: http.MethodGet, path: "/tasks/" + url.PathEscape(id)}, taskAgreed(id))
}

// CancelTask stops a copy and returns how the task stands then; it may have
// ended before. A task that the node does not know is fault.NotFound.
func (a *Agent) CancelTask(ctx context.Context, id string) (api.AgentTask, error) {
	return call(ctx, a, exchange{method: http.MethodDelete, path: "/tasks/" + url.PathEscape(id)}, taskAgreed(id))
}
