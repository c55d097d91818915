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
	op, err := s.beginDelete(w, r)
	if err != nil {
		return Deleted{}, err
	}
	out, err := s.deleteWorker(ctx, w, r)
	return out, op.end(ctx, err, nil)
}

func (s *Service) beginDelete(w *ledger.Worker, r Removal) (*operation, error) {
	return s.begin(context.Background(), audit.OpDeleteWorker, audit.Fields{WorkerID: w.ID.String(), Client: r.Client,
		Extra: map[string]any{"hostname": w.Hostname.String(), "delete_disk": r.DeleteFile, "force": r.Force}})
}

func (s *Service) deleteWorker(ctx context.Context, w *ledger.Worker, r Removal) (Deleted, error) {
	g, failed := removeTargets(ctx, w, r, s.removeTarget)
	if failed != nil {
		if g.any() {
			_, err := s.o.Ledger.Commit(ctx, func(tx *ledger.Tx) error { return keepRest(tx, w.ID, g) })
			if err != nil {
				s.o.Log.Error("the ledger still names targets that are gone", "worker", w.ID, "error", err)
			}
		}
		return Deleted{}, failed
	}
	var out Deleted
	var err error
	out.Receipt, err = s.o.Ledger.Commit(ctx, func(tx *ledger.Tx) (err error) {
		out.BindingRemoved, err = dropWorker(tx, w.ID, g)
		return err
	})
	return out, err
}

// dropWorker takes a worker out of the ledger, inside a commit, once its
// targets are gone. It changes nothing when it fails.
func dropWorker(tx *ledger.Tx, id netboot.WorkerID, g gone) (bindingRemoved bool, err error) {
	now, err := findWorker(tx, id)
	if err != nil {
		return false, err
	}
	if left := withoutDisks(now, g.disks); len(left.Disks) > 0 {
		return false, fault.New(fault.Conflict, "worker %s got a disk meanwhile, by a hand edit", id)
	}
	if g.filesKept {
		retire(tx, now.Hostname)
	}
	_, bindingRemoved = tx.MACOf(now.Hostname)
	tx.DeleteWorker(id)
	tx.Unbind(now.Hostname)
	return bindingRemoved, nil
}

// remover removes one target at its node.
type remover func(ctx context.Context, agent netboot.AgentID, iqn string, deleteFile bool, r Removal) (fileGone bool, err error)

// removeTargets stops at the first target that will not go.
func removeTargets(ctx context.Context, w *ledger.Worker, r Removal, remove remover) (g gone, err error) {
	if w.CD != nil {
		// The ISO is the site's, not the worker's: its file always stays.
		if _, err := remove(ctx, w.CD.Agent, w.CD.IQN.String(), false, r); err != nil {
			return g, err
		}
		g.cd = true
	}
	for _, d := range w.Disks {
		fileGone, err := remove(ctx, d.Agent, d.IQN.String(), r.DeleteFile, r)
		if err != nil {
			return g, err
		}
		g.disks = append(g.disks, d)
		g.filesKept = g.filesKept || !fileGone
	}
	return g, nil
}

// any reports whether something was removed.
func (g gone) any() bool { return g.cd || len(g.disks) > 0 }

// keepRest enters, inside a commit, what is really left of a worker whose
// deletion failed half-way.
func keepRest(tx *ledger.Tx, id netboot.WorkerID, g gone) error {
	now, err := findWorker(tx, id)
	if err != nil {
		return err
	}
	if g.filesKept {
		retire(tx, now.Hostname)
	}
	left := withoutDisks(now, g.disks)
	if g.cd {
		left.CD = nil
		left.Settle()
	}
	tx.PutWorker(left)
	return nil
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
