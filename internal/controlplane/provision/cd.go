package provision

import (
	"context"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/netboot"
)

// NewCD is an installation CD a person wants attached.
type NewCD struct {
	Worker netboot.WorkerID
	ISO    image.Name
	Agent  netboot.AgentID // zero: a healthy one with the CD role
	Client string
}

// cdSuffix names the one CD a worker can have, whatever is on it: the setup
// that looks for it knows the worker's name and not the ISO's.
const cdSuffix = ".windows.iso"

// AttachCD exports an ISO for a worker and enters it in the ledger.
func (s *Service) AttachCD(ctx context.Context, n NewCD) (*ledger.Worker, error) {
	release, err := s.busy.cd(n.Worker, "attached")
	if err != nil {
		return nil, err
	}
	defer release()
	w, err := cdFree(s.snapshot(), n.Worker)
	if err != nil {
		return nil, err
	}
	ctx = detached(ctx)
	a, at, err := s.cdNode(ctx, n.Agent)
	if err != nil {
		return nil, err
	}
	op, err := s.begin(ctx, audit.OpCDAttach, audit.Fields{WorkerID: n.Worker.String(), Agent: a.ID.String(), Client: n.Client,
		Extra: map[string]any{"iso": n.ISO.String()}})
	if err != nil {
		return nil, err
	}
	w, err = s.attachCD(ctx, n, w, a, at)
	return w, op.end(ctx, err, nil)
}

func (s *Service) attachCD(ctx context.Context, n NewCD, w *ledger.Worker, a *ledger.Agent, at node) (*ledger.Worker, error) {
	cd, err := s.exportCD(ctx, w.Hostname, n.ISO, a, at)
	if err != nil {
		return nil, err
	}
	_, err = s.o.Ledger.Commit(ctx, func(tx *ledger.Tx) error {
		now, err := cdFree(tx, n.Worker)
		if err != nil {
			return err
		}
		if err := listed(tx, a.ID); err != nil {
			return err
		}
		w = now.Clone()
		w.CD = cd
		w.Settle()
		tx.PutWorker(w)
		return nil
	})
	if err != nil {
		s.undoLUN(ctx, a, cd.IQN.String(), false)
		return nil, err
	}
	return w, nil
}

// exportCD makes a worker's CD target.
func (s *Service) exportCD(ctx context.Context, host netboot.Hostname, iso image.Name, a *ledger.Agent, at node) (*ledger.CD, error) {
	iqn, err := at.iqn(host.String() + cdSuffix)
	if err != nil {
		return nil, err
	}
	made, err := s.o.Dial(a).CreateCD(ctx, api.CreateCD{ISO: iso.String(), IQN: iqn.String()})
	if err != nil {
		return nil, err
	}
	return &ledger.CD{Agent: a.ID, IQN: iqn, ISO: iso, Backing: made.Backing}, nil
}

func (s *Service) cdNode(ctx context.Context, id netboot.AgentID) (*ledger.Agent, node, error) {
	if id.IsZero() {
		return s.pick(ctx, cdRole, anything)
	}
	return s.named(ctx, id, cdRole)
}

// cdFree holds one CD a worker.
func cdFree(n names, id netboot.WorkerID) (*ledger.Worker, error) {
	w, err := findWorker(n, id)
	if err == nil && w.CD != nil {
		err = fault.New(fault.Exists, "worker %s already has a CD, %s", id, w.CD.ISO)
	}
	return w, err
}

// DetachCD removes a worker's CD target. The ISO is the site's and stays.
func (s *Service) DetachCD(ctx context.Context, id netboot.WorkerID, r Removal) (*ledger.Worker, error) {
	release, err := s.busy.cd(id, "detached")
	if err != nil {
		return nil, err
	}
	defer release()
	w, err := findWorker(s.snapshot(), id)
	if err != nil {
		return nil, err
	}
	if w.CD == nil {
		return nil, fault.New(fault.NotFound, "worker %s has no CD", id)
	}
	ctx = detached(ctx)
	op, err := s.begin(ctx, audit.OpCDDetach, audit.Fields{WorkerID: id.String(), Agent: w.CD.Agent.String(), Client: r.Client,
		Extra: map[string]any{"iso": w.CD.ISO.String(), "force": r.Force}})
	if err != nil {
		return nil, err
	}
	w, err = s.detachCD(ctx, id, *w.CD, r)
	return w, op.end(ctx, err, nil)
}

func (s *Service) detachCD(ctx context.Context, id netboot.WorkerID, cd ledger.CD, r Removal) (*ledger.Worker, error) {
	if _, err := s.removeTarget(ctx, cd.Agent, cd.IQN.String(), false, r); err != nil {
		return nil, err
	}
	var w *ledger.Worker
	_, err := s.o.Ledger.Commit(ctx, func(tx *ledger.Tx) error {
		now, err := findWorker(tx, id)
		if err != nil {
			return err
		}
		w = now.Clone()
		// A hand edit may have attached another one meanwhile.
		if w.CD != nil && w.CD.Agent == cd.Agent && w.CD.IQN == cd.IQN {
			w.CD = nil
		}
		w.Settle()
		tx.PutWorker(w)
		return nil
	})
	return w, err
}
