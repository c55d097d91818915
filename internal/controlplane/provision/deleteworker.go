package provision

import (
	"context"
	"slices"

	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// Deleted is what the deletion of a worker did.
type Deleted struct {
	BindingRemoved bool
	Receipt        ledger.Receipt
}

// gone is what was really removed at the nodes before it ended.
type gone struct {
	cd        bool
	disks     []ledger.Disk
	filesKept bool // an image of this name may still lie on a node
}

// DeleteWorker removes the CD, then the disks, then the ledger's row and the
// binding. If a target cannot be removed the worker stays, with what is really
// left.
func (s *Service) DeleteWorker(ctx context.Context, id netboot.WorkerID, r Removal) (Deleted, error) {
	release, err := s.busy.worker(id, "deleted")
	if err != nil {
		return Deleted{}, err
	}
	defer release()
	w, err := findWorker(s.snapshot(), id)
	if err != nil {
		return Deleted{}, err
	}
	ctx = detached(ctx)
	op, err := s.begin(ctx, audit.OpDeleteWorker, audit.Fields{WorkerID: id.String(), Client: r.Client,
		Extra: map[string]any{"hostname": w.Hostname.String(), "delete_disk": r.DeleteFile, "force": r.Force}})
	if err != nil {
		return Deleted{}, err
	}
	out, err := s.deleteWorker(ctx, w, r)
	return out, op.end(ctx, err, nil)
}

func (s *Service) deleteWorker(ctx context.Context, w *ledger.Worker, r Removal) (Deleted, error) {
	g, failed := s.removeTargets(ctx, w, r)
	if failed != nil {
		if g.cd || len(g.disks) > 0 {
			if err := s.keepRest(ctx, w.ID, g); err != nil {
				s.o.Log.Error("the ledger still names targets that are gone", "worker", w.ID, "error", err)
			}
		}
		return Deleted{}, failed
	}
	var out Deleted
	receipt, err := s.o.Ledger.Commit(ctx, func(tx *ledger.Tx) error {
		now, err := findWorker(tx, w.ID)
		if err != nil {
			return err
		}
		if left := withoutDisks(now, g.disks); len(left.Disks) > 0 {
			return fault.New(fault.Conflict, "worker %s got a disk meanwhile, by a hand edit", w.ID)
		}
		if g.filesKept {
			retire(tx, now.Hostname)
		}
		_, out.BindingRemoved = tx.MACOf(now.Hostname)
		tx.DeleteWorker(w.ID)
		tx.Unbind(now.Hostname)
		return nil
	})
	out.Receipt = receipt
	return out, err
}

// removeTargets stops at the first target that will not go.
func (s *Service) removeTargets(ctx context.Context, w *ledger.Worker, r Removal) (g gone, err error) {
	if w.CD != nil {
		// The ISO is the site's, not the worker's: its file always stays.
		if _, err := s.removeTarget(ctx, w.CD.Agent, w.CD.IQN.String(), false, r); err != nil {
			return g, err
		}
		g.cd = true
	}
	for _, d := range w.Disks {
		fileGone, err := s.removeTarget(ctx, d.Agent, d.IQN.String(), r.DeleteFile, r)
		if err != nil {
			return g, err
		}
		g.disks = append(g.disks, d)
		g.filesKept = g.filesKept || !fileGone
	}
	return g, nil
}

// keepRest enters what is really left of a worker whose deletion failed half-way.
func (s *Service) keepRest(ctx context.Context, id netboot.WorkerID, g gone) error {
	_, err := s.o.Ledger.Commit(ctx, func(tx *ledger.Tx) error {
		now, err := findWorker(tx, id)
		if err != nil {
			return err
		}
		left := withoutDisks(now, g.disks)
		if g.cd {
			left.CD = nil
			left.Settle()
		}
		tx.PutWorker(left)
		return nil
	})
	return err
}

// retire keeps a name whose images were kept from being given to a new machine
// by itself: it would meet an old disk. Only a person takes a name off that
// list, as only a person knows that no file of it is left anywhere.
func retire(tx *ledger.Tx, host netboot.Hostname) {
	settings := tx.Settings()
	if slices.Contains(settings.Retired, host) {
		return
	}
	settings.Retired = append(slices.Clone(settings.Retired), host)
	tx.PutSettings(settings)
}
