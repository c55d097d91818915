package provision

import (
	"context"

	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/netboot"
)

// Boot answers a booting machine. A known one costs two look-ups in the
// snapshot: no lock, no file, no node. A new one is registered. It never fails:
// nobody found is the zero BootVars, and the machine asks again.
func (s *Service) Boot(ctx context.Context, a Asker) netboot.BootVars {
	snap := s.snapshot()
	v := s.identify(snap, a)
	if v.worker == nil {
		v.worker, snap = s.meet(ctx, snap, a, v)
	}
	if v.worker == nil || v.worker.Broken != "" {
		return netboot.BootVars{}
	}
	if !a.MAC.IsZero() { // a person who looks at the script names no card
		s.o.Ledger.MarkBoot(v.worker.ID, s.o.Now())
	}
	return s.project(snap, v.worker)
}

// meet handles a machine that the ledger does not know: it registers it where
// that is allowed, and makes visible one that asked in vain.
func (s *Service) meet(ctx context.Context, snap *ledger.Snapshot, a Asker, v verdict) (*ledger.Worker, *ledger.Snapshot) {
	if v.mismatch != nil {
		s.reportMismatch(ctx, a, v.mismatch)
	}
	if v.rival {
		s.reportRival(snap, a)
		return nil, snap
	}
	if !v.register && v.adopt.IsZero() {
		if client := a.Client(); s.logs("nameless " + client) {
			s.o.Log.Warn("a machine asked for boot variables without a usable MAC or a known host name", "client", client)
		}
		return nil, snap
	}
	return s.autoRegister(ctx, snap, a, v.adopt)
}

// project turns a worker into what its machine is told.
func (s *Service) project(snap *ledger.Snapshot, w *ledger.Worker) netboot.BootVars {
	v := netboot.BootVars{Hostname: w.Hostname, MenuDefault: netboot.Reboot, MenuTimeout: s.o.LoopTimeout}
	switch {
	case !w.DefaultOS.IsZero():
		v.MenuDefault = w.DefaultOS.Item()
	case !w.Boot.MenuDefault.IsZero():
		v.MenuDefault = w.Boot.MenuDefault
	}
	if !w.DefaultOS.IsZero() || !w.Boot.MenuDefault.IsZero() {
		v.MenuTimeout = s.o.MenuTimeout
		if w.Boot.MenuTimeout != nil {
			v.MenuTimeout = *w.Boot.MenuTimeout
		}
	}
	for _, d := range w.Disks {
		if a, ok := snap.Agent(d.Agent); ok {
			v.Roots = append(v.Roots, netboot.Root{OS: d.OS, Server: a.ISCSIServer, Sep: s.separator(a), IQN: d.IQN})
		}
	}
	d, ok := w.BootDisk()
	if !ok {
		return v
	}
	if a, ok := snap.Agent(d.Agent); ok {
		v.BaseIQN, v.ISCSIServer, v.Separator = d.IQN.Base(), a.ISCSIServer, s.separator(a)
	}
	return v
}
