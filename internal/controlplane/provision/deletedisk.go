package provision

import (
	"context"
	"slices"

	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// Removal says how thoroughly targets go.
type Removal struct {
	DeleteFile    bool // the image too, not the target alone
	IgnoreMissing bool // a target that is not there is no fault
	Force         bool // end live sessions
	Client        string
}

// DeleteDisk removes one disk of a worker: the target first, then the ledger's
// row, so that what the ledger names is never less than what stands.
func (s *Service) DeleteDisk(ctx context.Context, id netboot.WorkerID, os netboot.OS, r Removal) (*ledger.Worker, error) {
	release, err := s.busy.disk(id, os, "deleted")
	if err != nil {
		return nil, err
	}
	defer release()
	w, err := findWorker(s.snapshot(), id)
	if err != nil {
		return nil, err
	}
	d, ok := w.Disk(os)
	if !ok {
		return nil, fault.New(fault.NotFound, "worker %s has no disk for %s", id, os)
	}
	ctx = detached(ctx)
	op, err := s.begin(ctx, audit.OpDiskDelete, audit.Fields{WorkerID: id.String(), Agent: d.Agent.String(), Client: r.Client,
		Extra: map[string]any{"os": os.String(), "delete_file": r.DeleteFile, "force": r.Force}})
	if err != nil {
		return nil, err
	}
	w, err = s.deleteDisk(ctx, id, d, r)
	return w, op.end(ctx, err, nil)
}

func (s *Service) deleteDisk(ctx context.Context, id netboot.WorkerID, d ledger.Disk, r Removal) (*ledger.Worker, error) {
	fileGone, err := s.removeTarget(ctx, d.Agent, d.IQN.String(), r.DeleteFile, r)
	if err != nil {
		return nil, err
	}
	var w *ledger.Worker
	_, err = s.o.Ledger.Commit(ctx, func(tx *ledger.Tx) error {
		now, err := findWorker(tx, id)
		if err != nil {
			return err
		}
		w = withoutDisks(now, []ledger.Disk{d})
		tx.PutWorker(w)
		if !fileGone {
			retire(tx, w.Hostname)
		}
		return nil
	})
	return w, err
}

// removeTarget asks the node to remove one target. fileGone reports that the
// file is known to be gone too: a missing target that is passed over leaves
// its file wherever it is.
func (s *Service) removeTarget(ctx context.Context, id netboot.AgentID, iqn string, deleteFile bool, r Removal) (fileGone bool, err error) {
	a, ok := s.snapshot().Agent(id)
	if !ok {
		if r.IgnoreMissing {
			return false, nil
		}
		return false, fault.New(fault.Conflict,
			"agent %s, which holds target %s, is not in the inventory; ignore_missing_target=true removes the entry alone", id, iqn)
	}
	err = s.o.Dial(a).DeleteLUN(ctx, iqn, deleteFile, r.Force)
	if r.IgnoreMissing && fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return deleteFile && err == nil, err
}

// withoutDisks is a copy of w that has lost disks, and the boot choices that
// named their systems.
func withoutDisks(w *ledger.Worker, gone []ledger.Disk) *ledger.Worker {
	c := w.Clone()
	for _, d := range gone {
		c.Disks = slices.DeleteFunc(c.Disks, func(x ledger.Disk) bool { return x.OS == d.OS && x.IQN == d.IQN })
		if c.DefaultOS == d.OS {
			c.DefaultOS = netboot.OS{}
		}
		if c.Boot.MenuDefault == d.OS.Item() {
			c.Boot.MenuDefault = netboot.MenuItem{}
		}
	}
	c.Settle()
	return c
}
