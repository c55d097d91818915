package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/provision"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/httpx"
	"ipxe-all-ready/internal/netboot"
)

// maxBatch bounds the items of one batch.
const maxBatch = 10_000

func (s *server) createDisks(c *gin.Context) (int, any, error) {
	in, err := httpx.Decode[api.CreateDisks](c)
	if err != nil {
		return 0, nil, err
	}
	items, err := diskItems(in, c.ClientIP())
	if err != nil {
		return 0, nil, err
	}
	j, err := s.Provision.StartDisks(items)
	if err != nil {
		return 0, nil, err
	}
	if httpx.PrefersAsync(c.Request.Header) {
		return accepted(c, j.TaskID())
	}
	return http.StatusOK, disksCreated(j.Wait()), nil
}

// diskItems refuses what is wrong with all of a batch; a target that does not
// parse is that item's failure.
func diskItems(in api.CreateDisks, client string) ([]*provision.DiskItem, error) {
	n, err := newDisk(api.CreateDisk{OS: in.OS, Type: in.Type, Name: in.Name, Size: in.Size})
	if err != nil {
		return nil, err
	}
	if err := batchSize("targets", in.Targets); err != nil {
		return nil, err
	}
	n.Client = client
	items := make([]*provision.DiskItem, 0, len(in.Targets))
	for _, t := range in.Targets {
		it := &provision.DiskItem{Asked: t, NewDisk: n}
		if it.Worker, it.Err = netboot.ParseWorkerID(t.WorkerID); it.Err == nil {
			it.Agent, it.Err = netboot.ParseAgentID(t.Agent)
		}
		items = append(items, it)
	}
	return items, nil
}

func batchSize[T any](name string, list []T) error {
	switch {
	case list == nil:
		return fault.New(fault.Invalid, "%s is missing; it must be a list", name)
	case len(list) > maxBatch:
		return fault.New(fault.Invalid, "%s holds %d items; %d is the most", name, len(list), maxBatch)
	}
	return nil
}

func disksCreated(items []*provision.DiskItem) api.DisksCreated {
	out := api.DisksCreated{Succeeded: []api.BatchDisk{}, Skipped: []api.BatchSkipped{}, Failed: []api.BatchFailed{}}
	for _, it := range items {
		switch {
		case it.Err != nil:
			out.Failed = append(out.Failed, api.BatchFailed{WorkerID: it.Asked.WorkerID, Agent: it.Asked.Agent, Error: fault.Sentence(it.Err)})
		case it.Skipped != "":
			out.Skipped = append(out.Skipped, api.BatchSkipped{WorkerID: it.Worker.String(), Reason: it.Skipped})
		default:
			out.Succeeded = append(out.Succeeded, api.BatchDisk{WorkerID: it.Worker.String(), Agent: it.Agent.String(), IQN: it.IQN})
		}
	}
	return out
}

func (s *server) deleteWorkers(c *gin.Context) (int, any, error) {
	in, err := httpx.Decode[api.DeleteWorkers](c)
	if err == nil {
		err = batchSize("worker_ids", in.WorkerIDs)
	}
	if err != nil {
		return 0, nil, err
	}
	items := make([]*provision.WorkerItem, 0, len(in.WorkerIDs))
	for _, id := range in.WorkerIDs {
		it := &provision.WorkerItem{Asked: id}
		it.Worker, it.Err = netboot.ParseWorkerID(id)
		items = append(items, it)
	}
	r := provision.Removal{DeleteFile: in.DeleteDisk, IgnoreMissing: in.IgnoreMissingTarget, Client: c.ClientIP()}
	j, err := s.Provision.DeleteWorkers(items, r)
	if err != nil {
		return 0, nil, err
	}
	if httpx.PrefersAsync(c.Request.Header) {
		return accepted(c, j.TaskID())
	}
	return http.StatusOK, workersDeleted(j), nil
}

func workersDeleted(j *provision.WorkersJob) api.WorkersDeleted {
	items, receipt := j.Wait()
	out := api.WorkersDeleted{Succeeded: []api.DeletedWorker{}, Failed: []api.UndeletedWorker{}, DnsmasqReloaded: receipt.Reloaded}
	for _, it := range items {
		if it.Err != nil {
			out.Failed = append(out.Failed, api.UndeletedWorker{WorkerID: it.Asked, Error: fault.Sentence(it.Err)})
			continue
		}
		out.Succeeded = append(out.Succeeded, api.DeletedWorker{WorkerID: it.Worker.String(), Hostname: it.Hostname.String()})
	}
	return out
}
