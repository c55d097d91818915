package provision

import (
	"context"
	"strings"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/controlplane/task"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/netboot"
)

// NewDisk is a disk a person wants. Exactly one of Master, Size and Existing is set.
type NewDisk struct {
	Worker   netboot.WorkerID
	OS       netboot.OS
	Master   image.Name
	Size     string // as it was written; checked by image.ParseSize
	Existing bool   // attach the kept <hostname>.<os>.img again
	Agent    netboot.AgentID
	Client   string
}

func (n NewDisk) source() ledger.Source {
	switch {
	case n.Existing:
		return ledger.Source{Type: "existing"}
	case n.Size != "":
		return ledger.Source{Type: "empty", Size: n.Size}
	}
	return ledger.Source{Type: "master", Name: n.Master.String()}
}

// DiskJob is the making of one disk under way.
type DiskJob struct {
	task   *task.Task
	worker *ledger.Worker
	err    error
}

// TaskID names the task that it runs as.
func (j *DiskJob) TaskID() string { return j.task.ID() }

// CreateDisk makes a worker's disk on a storage node and enters it in the
// ledger. It returns when that is done, even if its caller hung up meanwhile.
func (s *Service) CreateDisk(n NewDisk) (*ledger.Worker, error) {
	j, err := s.StartDisk(n)
	if err != nil {
		return nil, err
	}
	j.task.Wait()
	return j.worker, j.err
}

// StartDisk begins the making of a disk as a task. What can be known to fail
// without asking a node fails here.
func (s *Service) StartDisk(n NewDisk) (*DiskJob, error) {
	id := task.NewID()
	release, err := s.busy.disk(n.Worker, n.OS, madeBy(id))
	if err != nil {
		return nil, err
	}
	j, err := s.startDisk(id, n, release)
	if err != nil {
		release()
	}
	return j, err
}

func (s *Service) startDisk(id string, n NewDisk, release func()) (*DiskJob, error) {
	if _, err := diskFree(s.snapshot(), n); err != nil {
		return nil, err
	}
	if !n.Agent.IsZero() {
		if _, err := usable(s.snapshot(), n.Agent, diskRole); err != nil {
			return nil, err
		}
	}
	items := []api.TaskItem{{WorkerID: n.Worker.String(), Agent: n.Agent.String()}}
	j := &DiskJob{err: task.ErrStopping}
	var err error
	started := make(chan struct{})
	j.task, err = s.o.Tasks.Go(id, "disk.create", items, func(t *task.Task) {
		defer release()
		<-started // j.task is set
		j.err = t.Guard(func() (err error) {
			j.worker, err = s.createDisk(t, n)
			return err
		})
		t.End(0, j.err)
	})
	close(started)
	return j, err
}

func (s *Service) createDisk(t *task.Task, n NewDisk) (*ledger.Worker, error) {
	a, at, err := s.diskNode(t.Context(), n)
	if err != nil {
		return nil, ended(t, err)
	}
	w, err := diskFree(s.snapshot(), n)
	if err != nil {
		return nil, err
	}
	t.Begin(0, a.ID.String())
	op, err := s.beginDisk(n, a)
	if err != nil {
		return nil, err
	}
	err = t.Guard(func() (err error) {
		w, err = s.makeAndEnter(t, n, w, a, at)
		return err
	})
	return w, op.end(context.Background(), err, nil)
}

func (s *Service) diskNode(ctx context.Context, n NewDisk) (*ledger.Agent, node, error) {
	switch {
	case !n.Agent.IsZero():
		return s.named(ctx, n.Agent, diskRole)
	case !n.Master.IsZero():
		return s.pick(ctx, diskRole, s.hasMaster(n.Master))
	}
	return s.pick(ctx, diskRole, anything)
}

func (s *Service) beginDisk(n NewDisk, a *ledger.Agent) (*operation, error) {
	return s.begin(context.Background(), audit.OpDiskCreate, audit.Fields{WorkerID: n.Worker.String(), Agent: a.ID.String(), Client: n.Client,
		Extra: map[string]any{"os": n.OS.String(), "source": sourceExtra(n.source())}})
}

func (s *Service) makeAndEnter(t *task.Task, n NewDisk, w *ledger.Worker, a *ledger.Agent, at node) (*ledger.Worker, error) {
	p, err := s.planDisk(n, w, a, at)
	if err != nil {
		return nil, err
	}
	made, err := s.makeDisk(t, 0, p)
	if err != nil {
		return nil, err
	}
	_, err = s.o.Ledger.Commit(context.Background(), func(tx *ledger.Tx) error {
		w, err = p.enter(tx, made)
		return err
	})
	return w, s.settleDisk(t, 0, p, err)
}

// diskFree holds one disk an OS.
func diskFree(n names, d NewDisk) (*ledger.Worker, error) {
	w, err := findWorker(n, d.Worker)
	if err != nil {
		return nil, err
	}
	if _, ok := w.Disk(d.OS); ok {
		return nil, fault.New(fault.Exists, "worker %s already has a disk for %s", d.Worker, d.OS)
	}
	return w, nil
}

// diskTaken guards against a hand edit that gave this target to another
// worker: two machines must not write one disk.
func diskTaken(f fleet, agent netboot.AgentID, iqn string) error {
	for w := range f.Workers() {
		for _, d := range w.Disks {
			if d.Agent == agent && d.IQN.String() == iqn {
				return fault.New(fault.Exists, "target %s on agent %s belongs to worker %s", iqn, agent, w.ID)
			}
		}
	}
	return nil
}

// undoLUN takes back what was just made for a change that then failed, and
// reports whether it is gone. The node's refusal is logged: the caller hears of
// the first fault.
func (s *Service) undoLUN(ctx context.Context, a *ledger.Agent, iqn string, deleteFile bool) (gone bool) {
	if now, ok := s.snapshot().Agent(a.ID); ok {
		a = now // its address may have changed meanwhile
	}
	err := s.o.Dial(a).DeleteLUN(ctx, iqn, deleteFile, false)
	if err == nil || fault.Is(err, fault.NotFound) {
		return true
	}
	s.o.Log.Error("a target that was not entered in the ledger stays", "agent", a.ID, "iqn", iqn, "error", err)
	return false
}

func sourceExtra(src ledger.Source) string {
	return strings.TrimSuffix(src.Type+" "+src.Name+src.Size, " ")
}
