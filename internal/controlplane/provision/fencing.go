package provision

import (
	"context"
	"maps"
	"sync"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/netboot"
)

// fences is what the nodes told last of who uses their disks. The nodes watch;
// here it becomes an event once, and is there for findings.
type fences struct {
	mu    sync.Mutex
	nodes map[netboot.AgentID]api.Fencing
}

func (f *fences) of(id netboot.AgentID) api.Fencing {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.nodes[id]
}

// put takes in what a node told, and gives what it had told before.
func (f *fences) put(id netboot.AgentID, now api.Fencing) (before api.Fencing) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before = f.nodes[id]
	if f.nodes == nil {
		f.nodes = make(map[netboot.AgentID]api.Fencing)
	}
	f.nodes[id] = now
	return before
}

// keep forgets the other nodes.
func (f *fences) keep(agents []*ledger.Agent) {
	ids := make(map[netboot.AgentID]bool)
	for _, a := range agents {
		ids[a.ID] = true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.nodes, func(id netboot.AgentID, _ api.Fencing) bool { return !ids[id] })
}

// Rivalries counts the disks that more than one machine was on when their nodes
// were asked last.
func (s *Service) Rivalries() int {
	s.fences.mu.Lock()
	defer s.fences.mu.Unlock()
	n := 0
	for _, f := range s.fences.nodes {
		n += len(f.Rivalries)
	}
	return n
}

// fencingPause is how often the nodes are asked, who answer from memory.
const fencingPause = 10 * time.Second

// WatchFencing asks the enabled nodes who uses their disks, until ctx ends.
func (s *Service) WatchFencing(ctx context.Context) {
	pause := s.o.FencingPause
	if pause == 0 {
		pause = fencingPause
	}
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s.askFencing(ctx)
	}
}

func (s *Service) askFencing(ctx context.Context) {
	enabled := agentsThat(s.snapshot(), func(a *ledger.Agent) bool { return a.Enabled })
	told, errs := atOnce(s, enabled, func(a *ledger.Agent) (api.Fencing, error) { return s.fencing(ctx, a) })
	for i, a := range enabled {
		if errs[i] == nil {
			s.report(ctx, a.ID, s.fences.put(a.ID, told[i]), told[i])
		}
	}
	s.fences.keep(enabled)
}

// fencing asks one node. One that is too old to tell has nothing to tell.
func (s *Service) fencing(ctx context.Context, a *ledger.Agent) (api.Fencing, error) {
	f, err := s.o.Folder(a).Fencing(ctx)
	if fault.Is(err, fault.NotFound) {
		return api.Fencing{}, nil
	}
	return f, err
}

// report audits what is new since the node told before.
func (s *Service) report(ctx context.Context, id netboot.AgentID, before, now api.Fencing) {
	known := make(map[string]bool)
	for _, r := range before.Rivalries {
		known[r.IQN] = true
	}
	for _, r := range before.Refusals {
		known[refusalKey(r)] = true
	}
	owners := map[string]owner(nil) // only if there is news: it is a walk over all workers
	tell := func(op audit.Op, iqn string, extra map[string]any) {
		if owners == nil {
			owners = ownersOn(s.snapshot(), id)
		}
		o := owners[iqn]
		f := audit.Fields{Agent: id.String(), Extra: extra}
		extra["iqn"] = iqn
		if o.worker != nil {
			f.WorkerID = o.worker.ID.String()
			extra["os"], extra["expected"] = o.os.String(), ownInitiator(iqn, o.worker)
		}
		s.o.Log.Error("who uses a disk", "op", op, "agent", id, "worker", f.WorkerID, "iqn", iqn)
		s.once(ctx, op, f)
	}
	for _, r := range now.Rivalries {
		if !known[r.IQN] {
			tell(audit.OpSecondInitiator, r.IQN, map[string]any{"since": r.Since, "sessions": r.Sessions})
		}
	}
	for _, r := range now.Refusals {
		if !known[refusalKey(r)] {
			tell(audit.OpRefusedInitiator, r.IQN, map[string]any{"initiator": r.Initiator, "address": r.Address, "count": r.Count})
		}
	}
}

func refusalKey(r api.Refusal) string { return r.IQN + " " + r.Initiator + " " + r.Address }

// ownInitiator is the name that a disk's own machine logs in by.
func ownInitiator(iqn string, w *ledger.Worker) string {
	q, err := iscsi.ParseIQN(iqn)
	if err != nil {
		return ""
	}
	own, _ := q.Base().IQN(w.Hostname.String())
	return own.String()
}
