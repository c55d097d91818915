package provision

import (
	"context"
	"strings"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/ledger"
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

// CreateDisk makes a worker's disk on a storage node and enters it in the
// ledger. What the node made is taken back when the ledger refuses it.
func (s *Service) CreateDisk(ctx context.Context, n NewDisk) (*ledger.Worker, error) {
	release, err := s.busy.disk(n.Worker, n.OS, "made")
	if err != nil {
		return nil, err
	}
	defer release()
	w, err := diskFree(s.snapshot(), n)
	if err != nil {
		return nil, err
	}
	ctx = detached(ctx)
	a, at, err := s.diskNode(ctx, n.Agent)
	if err != nil {
		return nil, err
	}
	op, err := s.begin(ctx, audit.OpDiskCreate, audit.Fields{WorkerID: n.Worker.String(), Agent: a.ID.String(), Client: n.Client,
		Extra: map[string]any{"os": n.OS.String(), "source": sourceExtra(n.source())}})
	if err != nil {
		return nil, err
	}
	w, err = s.createDisk(ctx, n, w, a, at)
	return w, op.end(ctx, err, nil)
}

func (s *Service) diskNode(ctx context.Context, id netboot.AgentID) (*ledger.Agent, node, error) {
	if id.IsZero() {
		return s.pick(ctx, diskRole)
	}
	return s.named(ctx, id, diskRole)
}

func (s *Service) createDisk(ctx context.Context, n NewDisk, w *ledger.Worker, a *ledger.Agent, at node) (*ledger.Worker, error) {
	iqn, err := at.iqn(w.Hostname.String() + "." + n.OS.String())
	if err != nil {
		return nil, err
	}
	file, err := image.ParseDisk(w.Hostname.String() + "." + n.OS.String() + ".img")
	if err != nil {
		return nil, err
	}
	if taken := diskTaken(s.snapshot(), a.ID, iqn.String()); taken != nil {
		return nil, taken
	}
	made, err := s.o.Dial(a).CreateDisk(ctx, api.CreateLUN{
		IQN: iqn.String(), Filename: file.String(), Master: n.Master.String(), Size: n.Size, Existing: n.Existing,
	})
	if err != nil {
		return nil, err
	}
	d := ledger.Disk{Agent: a.ID, IQN: iqn, Filename: file, Backing: made.Backing, OS: n.OS, Source: n.source()}
	_, err = s.o.Ledger.Commit(ctx, func(tx *ledger.Tx) error {
		now, err := diskFree(tx, n)
		if err != nil {
			return err
		}
		if err := listed(tx, a.ID); err != nil {
			return err
		}
		w = now.Clone()
		w.Disks = append(w.Disks, d)
		w.Settle()
		tx.PutWorker(w)
		return nil
	})
	if err != nil {
		// A file that was there before us is not ours to delete.
		s.undoLUN(ctx, a, iqn.String(), !n.Existing)
		return nil, err
	}
	return w, nil
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
func diskTaken(snap *ledger.Snapshot, agent netboot.AgentID, iqn string) error {
	for w := range snap.Workers() {
		for _, d := range w.Disks {
			if d.Agent == agent && d.IQN.String() == iqn {
				return fault.New(fault.Exists, "target %s on agent %s belongs to worker %s", iqn, agent, w.ID)
			}
		}
	}
	return nil
}

// undoLUN takes back what was just made for a change that then failed. The
// node's refusal is logged: the caller hears of the first fault.
func (s *Service) undoLUN(ctx context.Context, a *ledger.Agent, iqn string, deleteFile bool) {
	if now, ok := s.snapshot().Agent(a.ID); ok {
		a = now // its address may have changed meanwhile
	}
	if err := s.o.Dial(a).DeleteLUN(ctx, iqn, deleteFile, false); err != nil {
		s.o.Log.Error("a target that was not entered in the ledger stays", "agent", a.ID, "iqn", iqn, "error", err)
	}
}

func sourceExtra(src ledger.Source) string {
	return strings.TrimSuffix(src.Type+" "+src.Name+src.Size, " ")
}
