package provision

import (
	"context"
	"path"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/controlplane/reconcile"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/netboot"
)

// Repair is what became of one finding that a person wanted fixed.
type Repair struct {
	ID  string
	Err error
}

// Fix repairs the chosen findings, one after the other, in the order asked. It
// compares anew first: what was mended meanwhile is not touched. No fix
// deletes a file.
func (s *Service) Fix(ctx context.Context, ids []string, client string) []Repair {
	ctx = detached(ctx)
	now := make(map[string]reconcile.Finding)
	for _, f := range s.Reconcile(ctx) {
		now[f.ID] = f
	}
	out := make([]Repair, 0, len(ids))
	for _, id := range ids {
		f, ok := now[id]
		delete(now, id) // named twice is fixed once
		switch {
		case !ok:
			out = append(out, Repair{id, fault.New(fault.NotFound, "there is no finding %s now", fault.Clip(id))})
		case f.Fix == "":
			out = append(out, Repair{id, fault.New(fault.Conflict, "finding %s has no fix of its own; a person has to decide", id)})
		default:
			out = append(out, Repair{id, s.repair(ctx, f, client)})
		}
	}
	return out
}

func (s *Service) repair(ctx context.Context, f reconcile.Finding, client string) error {
	op, err := s.begin(ctx, audit.OpReconcileFix, audit.Fields{WorkerID: f.Worker.String(), Agent: f.Agent.String(), Client: client,
		Extra: map[string]any{"finding": f.ID, "fix": string(f.Fix)}})
	if err != nil {
		return err
	}
	return op.end(ctx, s.applyFix(ctx, f), nil)
}

func (s *Service) applyFix(ctx context.Context, f reconcile.Finding) error {
	switch f.Fix {
	case reconcile.RemoveBinding:
		return s.removeBinding(ctx, f.Hostname)
	case reconcile.RemoveTarget:
		return s.removeOrphan(ctx, f)
	}
	release, err := s.busy.disk(f.Worker, f.OS, "repaired")
	if err != nil {
		return err
	}
	defer release()
	if f.Fix == reconcile.AdoptDisk {
		return s.adoptDisk(ctx, f)
	}
	return s.exportAgain(ctx, f)
}

// removeBinding unbinds a name that still has no worker.
func (s *Service) removeBinding(ctx context.Context, host netboot.Hostname) error {
	_, err := s.o.Ledger.Commit(ctx, func(tx *ledger.Tx) error {
		if w, ok := tx.ByHostname(host); ok {
			return fault.New(fault.Conflict, "hostname %s belongs to worker %s by now", host, w.ID)
		}
		tx.Unbind(host)
		return nil
	})
	return err
}

// removeOrphan takes the target and leaves its file.
func (s *Service) removeOrphan(ctx context.Context, f reconcile.Finding) error {
	if !f.Worker.IsZero() {
		release, err := s.busy.worker(f.Worker, "repaired")
		if err != nil {
			return err
		}
		defer release()
	}
	if o, owned := ownersOn(s.snapshot(), f.Agent)[f.IQN]; owned {
		return fault.New(fault.Conflict, "target %s on agent %s belongs to worker %s by now", f.IQN, f.Agent, o.worker.ID)
	}
	_, err := s.removeTarget(ctx, f.Agent, f.IQN, false, Removal{})
	return err
}

// adoptDisk enters a target that stands as the disk that its name says it is.
func (s *Service) adoptDisk(ctx context.Context, f reconcile.Finding) error {
	iqn, err := iscsi.ParseIQN(f.IQN)
	if err != nil {
		return err
	}
	file, err := image.ParseDisk(path.Base(f.Backing))
	if err != nil {
		return err
	}
	_, err = s.o.Ledger.Commit(ctx, func(tx *ledger.Tx) error {
		now, err := diskFree(tx, NewDisk{Worker: f.Worker, OS: f.OS})
		if err != nil {
			return err
		}
		w := now.Clone()
		w.Disks = append(w.Disks, ledger.Disk{Agent: f.Agent, IQN: iqn, Filename: file, Backing: f.Backing, OS: f.OS,
			Source: ledger.Source{Type: "existing"}})
		w.Settle()
		tx.PutWorker(w)
		return nil
	})
	return err
}

// exportAgain has the node export the file that a row names.
func (s *Service) exportAgain(ctx context.Context, f reconcile.Finding) error {
	w, err := findWorker(s.snapshot(), f.Worker)
	if err != nil {
		return err
	}
	a, err := findAgent(s.snapshot(), f.Agent)
	if err != nil {
		return err
	}
	if f.OS.IsZero() {
		if w.CD == nil || w.CD.IQN.String() != f.IQN {
			return fault.New(fault.Conflict, "the CD of worker %s changed meanwhile", w.ID)
		}
		_, err = s.o.Dial(a).CreateCD(ctx, api.CreateCD{ISO: w.CD.ISO.String(), IQN: f.IQN})
		return err
	}
	d, ok := w.Disk(f.OS)
	if !ok || d.IQN.String() != f.IQN {
		return fault.New(fault.Conflict, "the %s disk of worker %s changed meanwhile", f.OS, w.ID)
	}
	_, err = s.o.Dial(a).CreateDisk(ctx, api.CreateLUN{IQN: f.IQN, Filename: d.Filename.String(), Existing: true})
	return err
}
