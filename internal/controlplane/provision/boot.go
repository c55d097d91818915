package provision

import (
	"context"

	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/netboot"
)

// nobody is the script of a machine that is not known: it asks again.
var nobody = netboot.BootVars{}.AppendScript(nil)

// BootScript answers a booting machine. A known one costs one look-up in the
// snapshot: no lock, no file, no node. A new one is registered. It never fails.
// The script is shared: it is read only.
func (s *Service) BootScript(ctx context.Context, a Asker) []byte {
	w, snap := s.recognize(ctx, a)
	if w == nil {
		return nobody
	}
	from := bootSource{worker: w, agents: snap.Agents(), backends: s.backends.known.Load()}
	if b, ok := w.Kept().(*bootScript); ok && b.from.is(from) {
		return b.text
	}
	b := &bootScript{from: from, text: s.project(snap, w).AppendScript(nil)}
	w.Keep(b)
	return b.text
}

// Boot is what BootScript says, as values; zero for nobody.
func (s *Service) Boot(ctx context.Context, a Asker) netboot.BootVars {
	w, snap := s.recognize(ctx, a)
	if w == nil {
		return netboot.BootVars{}
	}
	return s.project(snap, w)
}

// bootScript is one that was made, kept with its worker until what it was made
// from changes.
type bootScript struct {
	text []byte
	from bootSource
}

type bootSource struct {
	worker   *ledger.Worker
	agents   []*ledger.Agent
	backends *map[netboot.AgentID]string
}

// is goes by identity: all three are replaced and never changed.
func (b bootSource) is(now bootSource) bool {
	return b.worker == now.worker && b.backends == now.backends && sameList(b.agents, now.agents)
}

// recognize finds or registers the machine that asks; nil when it is to ask again.
func (s *Service) recognize(ctx context.Context, a Asker) (*ledger.Worker, *ledger.Snapshot) {
	snap := s.snapshot()
	v := s.identify(snap, a)
	if v.worker == nil {
		v.worker, snap = s.meet(ctx, snap, a, v)
	}
	if v.worker == nil || v.worker.Broken != "" {
		return nil, nil
	}
	if !a.MAC.IsZero() { // a person who looks at the script names no card
		s.o.Ledger.MarkBoot(v.worker, s.o.Now())
	}
	return v.worker, snap
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
		if client := a.From.ClientIP(); s.logs("nameless " + client) {
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
	v.Roots = make([]netboot.Root, 0, len(w.Disks))
	for i := range w.Disks {
		d := &w.Disks[i]
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
