package provision

import (
	"context"

	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/netboot"
)

// Registration is a worker a person registers.
type Registration struct {
	ID         netboot.WorkerID
	MAC        netboot.MAC
	Hostname   netboot.Hostname
	Arch       netboot.Arch // zero: the site's default
	WindowsISO image.Name   // zero: none
	Boot       ledger.Boot
	Client     string
}

// Register makes a worker's identity: ledger row and binding. With an ISO its
// installation CD is exported first, so that a worker is never left waiting
// for a CD that could not be made.
func (s *Service) Register(ctx context.Context, r Registration) (*ledger.Worker, ledger.Receipt, error) {
	release, err := s.reserveNames(r)
	if err != nil {
		return nil, ledger.Receipt{}, err
	}
	defer release()
	if err := registrable(s.snapshot(), r); err != nil {
		return nil, ledger.Receipt{}, err
	}
	ctx = detached(ctx)
	op, err := s.begin(ctx, audit.OpCreateWorker, audit.Fields{WorkerID: r.ID.String(), Client: r.Client,
		Extra: map[string]any{"mac": r.MAC.String(), "hostname": r.Hostname.String()}})
	if err != nil {
		return nil, ledger.Receipt{}, err
	}
	w, receipt, err := s.register(ctx, r)
	return w, receipt, op.end(ctx, err, nil)
}

// reserveNames keeps id and host name for this registration alone: they are one
// name space, and the CD is named after the host name, so that a second
// registration of it would take the first one's CD for its own.
func (s *Service) reserveNames(r Registration) (release func(), err error) {
	free, err := s.busy.worker(r.ID, "registered")
	if err != nil || r.ID.String() == r.Hostname.String() {
		return free, err
	}
	host, err := netboot.ParseWorkerID(r.Hostname.String()) // every host name is also an id by its syntax
	if err == nil {
		var freeHost func()
		if freeHost, err = s.busy.worker(host, "registered"); err == nil {
			return func() { freeHost(); free() }, nil
		}
	}
	free()
	return nil, err
}

func (s *Service) register(ctx context.Context, r Registration) (*ledger.Worker, ledger.Receipt, error) {
	w := &ledger.Worker{ID: r.ID, Hostname: r.Hostname, Arch: r.Arch.String(), Boot: r.Boot, CreatedAt: s.now()}
	if r.Arch.IsZero() {
		w.Arch = s.o.DefaultArch
	}
	a, err := s.insertCD(ctx, w, r.WindowsISO)
	if err != nil {
		return nil, ledger.Receipt{}, err
	}
	w.Settle()
	receipt, err := s.o.Ledger.Commit(ctx, func(tx *ledger.Tx) error {
		if err := registrable(tx, r); err != nil {
			return err
		}
		if a != nil {
			if err := listed(tx, a.ID); err != nil {
				return err
			}
		}
		tx.Bind(r.MAC, r.Hostname)
		tx.PutWorker(w)
		return nil
	})
	if err != nil && a != nil {
		s.undoLUN(ctx, a, w.CD.IQN.String(), false)
	}
	return w, receipt, err
}

func registrable(n names, r Registration) error {
	if err := nameFree(n, r.ID, r.Hostname); err != nil {
		return err
	}
	return macFree(n, r.MAC, r.Hostname)
}

// insertCD exports the ISO that a worker is to be installed from and says on
// which node; without an ISO there is none.
func (s *Service) insertCD(ctx context.Context, w *ledger.Worker, iso image.Name) (*ledger.Agent, error) {
	if iso.IsZero() {
		return nil, nil
	}
	a, at, err := s.cdNode(ctx, netboot.AgentID{})
	if err != nil {
		return nil, err
	}
	w.CD, err = s.exportCD(ctx, w.Hostname, iso, a, at)
	return a, err
}
