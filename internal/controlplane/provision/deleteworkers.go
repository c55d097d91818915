package provision

import (
	"context"
	"sync"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/controlplane/task"
	"ipxe-all-ready/internal/netboot"
)

// WorkerItem is one worker of a deletion batch and, in the end, what became of it.
type WorkerItem struct {
	Asked    string // as the caller wrote it
	Worker   netboot.WorkerID
	Hostname netboot.Hostname // of the worker that is gone
	Err      error            // why it stays; set before when the words do not parse

	row     *ledger.Worker // reserved, its deletion audited; nil: not begun
	gone    gone
	op      *operation
	release func()
}

// WorkersJob is a deletion batch under way.
type WorkersJob struct {
	task    *task.Task
	items   []*WorkerItem
	receipt ledger.Receipt
}

// TaskID names the task that it runs as.
func (j *WorkersJob) TaskID() string { return j.task.ID() }

// Wait returns the items, in the order asked, when all have ended, and what
// became of the reload.
func (j *WorkersJob) Wait() ([]*WorkerItem, ledger.Receipt) {
	j.task.Wait()
	return j.items, j.receipt
}

// DeleteWorkers begins a deletion batch. The items are independent of each
// other; one that is there twice is done once. The nodes' work is done first,
// then everything is entered in one commit.
func (s *Service) DeleteWorkers(asked []*WorkerItem, r Removal) (*WorkersJob, error) {
	j := &WorkersJob{}
	seen := make(map[netboot.WorkerID]bool)
	for _, it := range asked {
		if it.Err != nil || !seen[it.Worker] {
			j.items = append(j.items, it)
		}
		seen[it.Worker] = true
	}
	snap := s.snapshot()
	rows := make([]api.TaskItem, len(j.items))
	for i, it := range j.items {
		rows[i] = api.TaskItem{WorkerID: it.Asked, Agent: firstNode(snap, it.Worker).String()}
	}
	started := make(chan struct{})
	var err error
	j.task, err = s.o.Tasks.Go(task.NewID(), "worker.delete.batch", rows, func(t *task.Task) {
		<-started // j.task is set
		b := &deletion{batch: batch{s: s, t: t}, items: j.items, how: r}
		s.inLanes(len(j.items), func(i int) netboot.AgentID { return firstNode(snap, j.items[i].Worker) }, b.remove)
		j.receipt = b.enter()
	})
	close(started)
	return j, err
}

// firstNode is the node that the deletion of a worker begins at; zero when it
// has no target.
func firstNode(snap *ledger.Snapshot, id netboot.WorkerID) netboot.AgentID {
	w, ok := snap.Worker(id)
	switch {
	case !ok:
		return netboot.AgentID{}
	case w.CD != nil:
		return w.CD.Agent
	case len(w.Disks) > 0:
		return w.Disks[0].Agent
	}
	return netboot.AgentID{}
}

// deletion is a deletion batch at work.
type deletion struct {
	batch
	items []*WorkerItem
	how   Removal
}

// remove takes the targets of item i away. Its reservation lasts until enter.
func (b *deletion) remove(i int) {
	it := b.items[i]
	if it.Err = ended(b.t, it.Err); it.Err != nil {
		return
	}
	it.Err = b.t.Guard(func() (err error) {
		if it.release, err = b.s.busy.worker(it.Worker, deletedBy(b.t.ID())); err != nil {
			return err
		}
		w, err := findWorker(b.s.snapshot(), it.Worker)
		if err != nil {
			return err
		}
		if it.op, err = b.s.beginDelete(w, b.how); err != nil {
			return err
		}
		it.row = w
		b.t.Begin(i, firstNode(b.s.snapshot(), it.Worker).String())
		it.gone, err = removeTargets(context.Background(), w, b.how, b.removeTarget)
		return err
	})
}

// removeTarget waits for a place at the node.
func (b *deletion) removeTarget(ctx context.Context, id netboot.AgentID, iqn string, deleteFile bool, r Removal) (fileGone bool, err error) {
	err = b.at(id, func() error {
		fileGone, err = b.s.removeTarget(ctx, id, iqn, deleteFile, r)
		return err
	})
	return fileGone, err
}

// enter commits all that was removed and ends the items.
func (b *deletion) enter() ledger.Receipt {
	errs := make([]error, len(b.items))
	receipt, err := b.s.o.Ledger.Commit(context.Background(), func(tx *ledger.Tx) error {
		for i, it := range b.items {
			errs[i] = it.enter(tx)
		}
		return nil
	})
	var wg sync.WaitGroup
	for i, it := range b.items {
		wg.Go(func() {
			b.end(i, it, errs[i], err)
		})
	}
	wg.Wait()
	return receipt
}

// enter makes the item's change inside the commit; its error is the ledger's.
func (it *WorkerItem) enter(tx *ledger.Tx) (err error) {
	switch {
	case it.row == nil:
	case it.Err == nil:
		_, err = dropWorker(tx, it.Worker, it.gone)
	case it.gone.any():
		err = keepRest(tx, it.Worker, it.gone)
	}
	return err
}

// end ends item i, whose change may have been refused by itself or with all.
func (b *deletion) end(i int, it *WorkerItem, own, all error) {
	if err := b.t.Guard(func() error { return b.close(it, own, all) }); err != nil {
		it.Err = err
	}
	if it.release != nil {
		it.release()
	}
	b.t.End(i, it.Err)
}

// close enters in the trail what became of an item and returns its error.
func (b *deletion) close(it *WorkerItem, own, all error) error {
	if own == nil && it.row != nil && (it.Err == nil || it.gone.any()) {
		own = all
	}
	if own != nil && it.gone.any() {
		b.s.o.Log.Error("the ledger still names targets that are gone", "worker", it.Worker, "error", own)
	}
	if it.Err == nil {
		it.Err = own
	}
	if it.op != nil {
		it.Err = it.op.end(context.Background(), it.Err, nil)
	}
	if it.Err == nil {
		it.Hostname = it.row.Hostname
	}
	return it.Err
}
