package provision

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/task"
	"ipxe-all-ready/internal/fault"
)

// Copier is the part of a storage node that makes disks.
type Copier interface {
	// CreateDiskAsync returns the id of the node's own task or, from a node
	// without tasks, the disk when it stands.
	CreateDiskAsync(ctx context.Context, in api.CreateLUN) (made api.LUNCreated, task string, err error)
	Task(ctx context.Context, id string) (api.AgentTask, error)
	CancelTask(ctx context.Context, id string) (api.AgentTask, error)
}

const (
	firstPoll   = 20 * time.Millisecond // a reflink is there by then
	longestPoll = 500 * time.Millisecond
)

// makeDisk has the node make the disk of item i of t. When it fails nothing of
// it is left; where that could not be made sure, the task remembers it. A disk
// that stands is remembered too, until it is in the ledger: see settleDisk.
func (s *Service) makeDisk(t *task.Task, i int, p diskPlan) (api.LUNCreated, error) {
	if err := ended(t, nil); err != nil {
		return api.LUNCreated{}, err
	}
	node := s.o.Copies(p.agent)
	// A cancelled task does not hang up here: a node without tasks may go on
	// with a copy whose caller left, and what it made would be nobody's.
	made, id, err := node.CreateDiskAsync(t.Stopping(), p.order())
	switch {
	case err != nil && t.Stopping().Err() != nil:
		return made, task.ErrStopping
	case err != nil:
		return made, err
	case id == "":
		t.Leave(i, p.left(""))
	default:
		if made, err = s.watch(t, i, p, node, id); err != nil {
			return made, err
		}
	}
	if why := p.differs(made); why != nil {
		// Whose file it is that the node serves now is not known.
		p.strange = true
		t.Leave(i, p.left(""))
		return made, s.settleDisk(t, i, p, why)
	}
	if errors.Is(context.Cause(t.Context()), task.ErrCancelled) {
		return made, s.settleDisk(t, i, p, task.ErrCancelled)
	}
	return made, nil
}

// differs is in what the node made another disk than was asked for. A row that
// named the one and a machine that wrote the other could be two machines on one.
func (p diskPlan) differs(made api.LUNCreated) error {
	words := ""
	switch {
	case !strings.EqualFold(made.IQN, p.iqn.String()):
		words = fmt.Sprintf("it made target %q and not %s", fault.Clip(made.IQN), p.iqn)
	case path.Base(made.Backing) != p.file.String():
		words = fmt.Sprintf("its target %s serves %q and not %s", p.iqn, fault.Clip(made.Backing), p.file)
	default:
		return nil
	}
	return p.blame(fault.Upstream, words)
}

// watch follows the node's own task to its end.
func (s *Service) watch(t *task.Task, i int, p diskPlan, node Copier, id string) (api.LUNCreated, error) {
	t.Leave(i, p.left(id))
	st, why := s.follow(t, i, p, node, id)
	if why != nil {
		// Whatever made us give up, the node must not go on alone.
		var err error
		if st, err = s.abandon(node, id); err != nil && !fault.Is(err, fault.NotFound) {
			return api.LUNCreated{}, why // not settled: see ClearLeftovers
		}
	}
	if st.State != api.TaskSucceeded {
		t.Settle(i) // the node leaves nothing of a copy that did not
		if why == nil {
			why = p.failure(st)
		}
		return api.LUNCreated{}, why
	}
	// From here on the node's task says no more than the disk itself, and a node
	// that is restarted forgets it.
	t.Leave(i, p.left(""))
	switch {
	case why != nil && !errors.Is(why, task.ErrStopping):
	case st.Result == nil:
		why = p.blame(fault.Upstream, "its task succeeded and does not say what it made")
	default:
		return *st.Result, nil
	}
	return api.LUNCreated{}, s.settleDisk(t, i, p, why)
}

// follow polls until the node's task has ended, or this one has, or the node
// tells nothing, or the copy does not grow.
func (s *Service) follow(t *task.Task, i int, p diskPlan, node Copier, id string) (api.AgentTask, error) {
	heard, grown, bytes, pause := time.Now(), time.Now(), int64(-1), firstPoll
	for {
		select {
		case <-t.Context().Done():
			return api.AgentTask{}, context.Cause(t.Context())
		case <-time.After(pause):
		}
		pause = min(2*pause, longestPoll)
		st, err := node.Task(t.Context(), id)
		switch {
		case fault.Is(err, fault.NotFound):
			return st, p.blame(fault.Upstream, "it no longer knows the copy it had begun; it was restarted")
		case err != nil && t.Context().Err() == nil && time.Since(heard) >= s.o.AgentTimeout:
			return st, err
		case err != nil:
			continue
		}
		heard = time.Now()
		if st.BytesDone > bytes || st.State == api.TaskQueued {
			bytes, grown = st.BytesDone, heard
			t.Progress(i, st.BytesDone, st.BytesTotal)
		}
		if api.Ended(st.State) {
			return st, nil
		}
		if heard.Sub(grown) >= s.o.CloneTimeout {
			return st, p.blame(fault.Unavailable, fmt.Sprintf("its copy did not grow for %s", s.o.CloneTimeout))
		}
	}
}

// abandon ends the node's task and returns how it ended.
func (s *Service) abandon(node Copier, id string) (api.AgentTask, error) {
	ctx, cancel := context.WithTimeout(context.Background(), s.o.AgentTimeout)
	defer cancel()
	st, err := node.CancelTask(ctx, id)
	for err == nil && !api.Ended(st.State) {
		select {
		case <-ctx.Done():
			return st, ctx.Err()
		case <-time.After(firstPoll):
		}
		st, err = node.Task(ctx, id)
	}
	return st, err
}

// failure is why a node's task did not succeed.
func (p diskPlan) failure(st api.AgentTask) error {
	if st.State == api.TaskCancelled {
		return p.blame(fault.Conflict, "the copy was cancelled at the node")
	}
	return p.blame(fault.KindOfCode(st.Code), st.Error)
}

// blame is a fault in the node's words.
func (p diskPlan) blame(k fault.Kind, words string) error {
	err := fault.New(k, "agent %s: %s", p.agent.ID, words)
	err.Detail = api.AgentError{Agent: p.agent.ID.String(), Error: words}
	return err
}

// ended is why t ends before its work is done, else err.
func ended(t *task.Task, err error) error {
	if cause := context.Cause(t.Context()); cause != nil {
		return cause
	}
	return err
}
