package provision

import (
	"context"

	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// AutoRegister says whether new machines are registered, and whether the
// environment or a person's setting decides it.
func (s *Service) AutoRegister() (enabled, bySetting bool) {
	if v := s.snapshot().Settings().AutoRegister; v != nil {
		return *v, true
	}
	return s.o.AutoRegister, false
}

// SetAutoRegister switches registration at once and for good.
func (s *Service) SetAutoRegister(ctx context.Context, client string, enabled bool) error {
	op, err := s.begin(ctx, audit.OpAutoRegisterSet, audit.Fields{Client: client, Extra: map[string]any{"enabled": enabled}})
	if err != nil {
		return err
	}
	_, err = s.o.Ledger.Commit(detached(ctx), func(tx *ledger.Tx) error {
		settings := tx.Settings()
		settings.AutoRegister = &enabled
		tx.PutSettings(settings)
		return nil
	})
	return op.end(ctx, err, nil)
}

// errFull and errOff are why a machine is not registered; neither is a fault.
var (
	errFull = fault.New(fault.Conflict, "the limit of IPXE_CP_MAX_WORKERS workers is reached")
	errOff  = fault.New(fault.Conflict, "automatic registration is off")
)

// autoRegister gives a new machine the next name, or registers the name that a
// hand-made binding gives it. Retransmits of one machine meet in the commit:
// whoever comes second finds the binding and takes the first one's worker. Its
// script says nothing of dnsmasq, so a machine does not wait for the reload.
func (s *Service) autoRegister(ctx context.Context, snap *ledger.Snapshot, a Asker, adopt netboot.Hostname) (*ledger.Worker, *ledger.Snapshot) {
	err := s.admitting(snap)
	if err == nil {
		err = s.o.Audit.Ready() // else nobody could tell whence a worker came
	}
	if err != nil {
		s.reportTurnedAway(a, err)
		return nil, snap
	}
	client := a.From.ClientIP()
	if s.strangers.take(client) > 0 {
		s.reportLimited(ctx, client)
		return nil, snap
	}
	var made *ledger.Worker
	err = s.o.Ledger.CommitNoWait(detached(ctx), func(tx *ledger.Tx) error {
		made = nil
		w, err := s.admit(tx, a.MAC, adopt)
		made = w
		return err
	})
	snap = s.snapshot()
	if made == nil || err != nil {
		s.strangers.give(client) // a retransmit costs nothing
	}
	if err != nil {
		s.reportTurnedAway(a, err)
		return nil, snap
	}
	if made != nil {
		if s.o.OnAutoRegister != nil {
			s.o.OnAutoRegister()
		}
		s.once(ctx, audit.OpAutoRegister, audit.Fields{WorkerID: made.ID.String(), Client: client,
			Extra: map[string]any{"mac": a.MAC.String()}})
	}
	if _, rival := snap.Rival(a.MAC); rival {
		return nil, snap
	}
	host, _ := snap.Binding(a.MAC)
	w, _ := snap.ByHostname(host)
	return w, snap
}

// admit makes the worker inside a commit; nil without an error when it stands.
func (s *Service) admit(tx *ledger.Tx, mac netboot.MAC, adopt netboot.Hostname) (*ledger.Worker, error) {
	host, bound := tx.Binding(mac)
	if _, known := tx.ByHostname(host); bound && known {
		return nil, nil
	}
	if err := s.admitting(tx); err != nil {
		return nil, err
	}
	if !bound {
		host = tx.NextName()
	}
	id, err := netboot.ParseWorkerID(host.String())
	if err != nil {
		return nil, err
	}
	if err := nameFree(tx, id, host); err != nil {
		return nil, err
	}
	w := &ledger.Worker{ID: id, Hostname: host, Arch: s.o.DefaultArch, State: ledger.Registered, CreatedAt: s.now()}
	if !bound {
		tx.Bind(mac, host)
	}
	tx.PutWorker(w)
	return w, nil
}

// hall is what a Snapshot and a Tx tell of how full it is and who may come in.
type hall interface {
	Len() int
	Settings() ledger.Settings
}

// admitting is nil while new machines are registered, else why they are not.
func (s *Service) admitting(h hall) error {
	enabled := s.o.AutoRegister
	if v := h.Settings().AutoRegister; v != nil {
		enabled = *v
	}
	switch {
	case !enabled:
		return errOff
	case h.Len() >= s.o.MaxWorkers:
		return errFull
	}
	return nil
}
