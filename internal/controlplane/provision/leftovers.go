package provision

import (
	"context"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/task"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// clearPause is how often nodes that did not answer are asked again.
const clearPause = 30 * time.Second

// ClearLeftovers takes away, until ctx ends, what tasks left at nodes because
// the daemon was killed or the node fell silent: a copy that the node went on
// with by itself, and of which no ledger knows.
func (s *Service) ClearLeftovers(ctx context.Context) {
	tick := time.NewTicker(clearPause)
	defer tick.Stop()
	for {
		for id, list := range s.o.Tasks.Leftovers() {
			for _, l := range list {
				if s.clear(ctx, l) {
					s.o.Tasks.Cleared(id, l)
				}
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// clear reports whether nothing is left of l, or it is nobody's to clear any more.
func (s *Service) clear(ctx context.Context, l task.Left) bool {
	worker, err := netboot.ParseWorkerID(l.Worker)
	if err != nil {
		return true
	}
	id, err := netboot.ParseAgentID(l.Agent)
	if err != nil {
		return true
	}
	a, ok := s.snapshot().Agent(id)
	if !ok {
		return true // it left the inventory: nobody can ask it
	}
	release, err := s.busy.worker(worker, "cleared up after")
	if err != nil {
		return false
	}
	defer release()
	if diskTaken(s.snapshot(), id, l.IQN) != nil {
		return true // it was entered after all
	}
	st, err := s.o.Copies(a).CancelTask(ctx, l.Task)
	switch {
	case fault.Is(err, fault.NotFound):
		return true // the node was restarted, and removed what was half-made
	case err != nil || !api.Ended(st.State):
		return false
	case st.State != api.TaskSucceeded:
		return true
	}
	err = s.o.Dial(a).DeleteLUN(ctx, l.IQN, !l.KeepFile, false)
	if err == nil {
		s.o.Log.Info("a disk that no ledger knew of was removed", "agent", a.ID, "iqn", l.IQN)
	}
	return err == nil || fault.Is(err, fault.NotFound)
}
