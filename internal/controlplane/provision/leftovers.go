package provision

import (
	"context"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/controlplane/task"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// How soon a node is asked again that did not give back what was left at it.
const (
	firstClear   = time.Second
	longestClear = 30 * time.Second
)

// ClearLeftovers takes away, until ctx ends, what tasks left at nodes because
// the daemon was killed, the node fell silent, or the ledger refused a disk
// that the node did not take back.
func (s *Service) ClearLeftovers(ctx context.Context) {
	for pause := firstClear; ; {
		var again <-chan time.Time
		if !s.clearAll(ctx) {
			again = time.After(pause)
		}
		select {
		case <-ctx.Done():
			return
		case <-s.o.Tasks.LeftBehind():
			pause = firstClear
		case <-again:
			pause = min(2*pause, longestClear)
		}
	}
}

// clearAll reports whether nothing is left anywhere. A node that does not
// answer is asked once.
func (s *Service) clearAll(ctx context.Context) bool {
	list, silent := s.o.Tasks.Leftovers(), make(map[string]bool)
	var cleared []task.Leftover
	for _, l := range list {
		if silent[l.Agent] {
			continue
		}
		var gone bool
		err := s.guarded(func() (err error) {
			gone, err = s.clear(ctx, l.Left)
			return err
		})
		if gone {
			cleared = append(cleared, l)
		}
		silent[l.Agent] = fault.CodeOf(err) == "agent_unreachable"
	}
	s.o.Tasks.Cleared(cleared)
	return len(cleared) == len(list)
}

// clear reports whether nothing is left of l, or it is nobody's to clear any more.
func (s *Service) clear(ctx context.Context, l task.Left) (gone bool, err error) {
	worker, err := netboot.ParseWorkerID(l.Worker)
	if err != nil {
		return true, nil
	}
	id, err := netboot.ParseAgentID(l.Agent)
	if err != nil {
		return true, nil
	}
	a, ok := s.snapshot().Agent(id)
	if !ok {
		return true, nil // it left the inventory: nobody can ask it
	}
	release, err := s.busy.worker(worker, "cleared up after")
	if err != nil {
		return false, err
	}
	defer release()
	if owned, err := s.owned(ctx, id, l.IQN); owned || err != nil {
		return owned, err // it was entered after all
	}
	if l.Task != "" {
		stands, err := s.stopCopy(ctx, a, l.Task)
		if !stands || err != nil {
			return err == nil, err
		}
	}
	err = s.o.Dial(a).DeleteLUN(ctx, l.IQN, !l.KeepFile, false)
	if fault.Is(err, fault.NotFound) {
		return true, nil
	}
	if err == nil {
		s.o.Log.Info("a disk that no ledger knew of was removed", "agent", a.ID, "iqn", l.IQN)
	}
	return err == nil, err
}

// owned reports whether the ledger names the target, hand edits up to this
// moment included. A file that a person broke may name it all the same.
func (s *Service) owned(ctx context.Context, agent netboot.AgentID, iqn string) (owned bool, err error) {
	_, err = s.o.Ledger.Commit(ctx, func(tx *ledger.Tx) error {
		owned = diskTaken(tx, agent, iqn) != nil
		return nil
	})
	if faults := s.o.Ledger.Faults(); err == nil && !owned && len(faults) > 0 {
		err = fault.New(fault.Unavailable, "%s cannot be read: %s", faults[0].File, faults[0].Text)
	}
	return owned, err
}

// stopCopy ends a node's own task and reports whether its disk stands. An error
// says that this is not known yet.
func (s *Service) stopCopy(ctx context.Context, a *ledger.Agent, id string) (stands bool, err error) {
	st, err := s.o.Copies(a).CancelTask(ctx, id)
	switch {
	case fault.Is(err, fault.NotFound):
		return false, nil // the node was restarted, and removed what was half-made
	case err == nil && !api.Ended(st.State):
		err = fault.New(fault.InProgress, "task %s of agent %s has not ended", id, a.ID)
	}
	return st.State == api.TaskSucceeded, err
}
