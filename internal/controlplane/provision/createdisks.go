package provision

import (
	"context"
	"sync"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/controlplane/task"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// DiskItem is one disk of a batch and, in the end, what became of it.
type DiskItem struct {
	Asked api.BatchTarget // as the caller wrote it
	NewDisk
	IQN     string // of the disk made
	Skipped string // why nothing had to be done
	Err     error  // why it was not made; set before when the words do not parse
}

// DisksJob is a batch of disks under way.
type DisksJob struct {
	task  *task.Task
	items []*DiskItem
}

// TaskID names the task that it runs as.
func (j *DisksJob) TaskID() string { return j.task.ID() }

// Wait returns the items, in the order asked, when all have ended.
func (j *DisksJob) Wait() []*DiskItem {
	j.task.Wait()
	return j.items
}

// StartDisks begins a batch of disks, which their workers boot from then on.
// The items are independent of each other. An item that is there twice is done
// once; two disks of one worker at different nodes are the second one's failure.
func (s *Service) StartDisks(asked []*DiskItem) (*DisksJob, error) {
	j := &DisksJob{items: distinct(asked)}
	rows := make([]api.TaskItem, len(j.items))
	for i, it := range j.items {
		rows[i] = api.TaskItem{WorkerID: it.Asked.WorkerID, Agent: it.Asked.Agent}
	}
	var err error
	j.task, err = s.o.Tasks.Go(task.NewID(), "disk.create.batch", rows, func(t *task.Task) {
		s.makeDisks(&diskBatch{batch: batch{s: s, t: t}, items: j.items})
	})
	return j, err
}

func distinct(asked []*DiskItem) []*DiskItem {
	first := make(map[netboot.WorkerID]*DiskItem)
	out := make([]*DiskItem, 0, len(asked))
	for _, it := range asked {
		if it.Err != nil {
			out = append(out, it)
			continue
		}
		f, twice := first[it.Worker]
		if twice && f.Agent == it.Agent {
			continue
		}
		if twice {
			it.Err = fault.New(fault.Invalid, "worker %s is named twice, before this with agent %s", it.Worker, f.Agent)
		} else {
			first[it.Worker] = it
		}
		out = append(out, it)
	}
	return out
}

// diskBatch is a batch of disks at work.
type diskBatch struct {
	batch
	items []*DiskItem
	nodes map[netboot.AgentID]func() (found, error) // each asked once
	made  chan madeDisk
}

type found struct {
	agent *ledger.Agent
	node  node
}

func (s *Service) makeDisks(b *diskBatch) {
	b.made = make(chan madeDisk, len(b.items)) // no node waits for the ledger
	b.nodes = make(map[netboot.AgentID]func() (found, error))
	for _, it := range b.items {
		if b.nodes[it.Agent] != nil {
			continue
		}
		b.nodes[it.Agent] = sync.OnceValues(func() (found, error) {
			a, n, err := s.named(b.t.Context(), it.Agent, diskRole)
			return found{a, n}, err
		})
	}
	entered := make(chan struct{})
	go func() { defer close(entered); b.enterAll() }()
	s.inLanes(len(b.items), func(i int) netboot.AgentID { return b.items[i].Agent }, b.make)
	close(b.made)
	<-entered
}

// make has the node make the disk of item i and hands it over to be entered.
func (b *diskBatch) make(i int) {
	it := b.items[i]
	if it.Err = ended(b.t, it.Err); it.Err != nil {
		b.t.End(i, it.Err)
		return
	}
	err := b.t.Guard(func() error {
		release, err := b.s.busy.disk(it.Worker, it.OS, madeBy(b.t.ID()))
		if err != nil {
			return err
		}
		return b.makeReserved(i, release)
	})
	if err != nil { // else the item is handed over, and no longer ours
		it.Err = err
		b.t.End(i, err)
	}
}

// makeReserved makes the disk under a reservation that lasts until it is
// entered, or not made.
func (b *diskBatch) makeReserved(i int, release func()) error {
	it, s := b.items[i], b.s
	handed := false
	defer func() {
		if !handed {
			release()
		}
	}()
	w, err := diskFree(s.snapshot(), it.NewDisk)
	if fault.Is(err, fault.Exists) {
		it.Skipped = fault.Sentence(err)
		b.t.Skip(i, it.Skipped)
		return nil
	}
	if err != nil {
		return err
	}
	at, err := b.nodes[it.Agent]()
	if err != nil {
		return ended(b.t, err)
	}
	m := madeDisk{i: i, release: release}
	err = b.at(it.Agent, func() (err error) {
		b.t.Begin(i, it.Agent.String())
		if m.op, err = s.beginDisk(it.NewDisk, at.agent); err != nil {
			return err
		}
		return b.t.Guard(func() (err error) {
			if m.plan, err = s.planDisk(it.NewDisk, w, at.agent, at.node); err != nil {
				return err
			}
			m.plan.setDefault = true
			m.disk, err = s.makeDisk(b.t, i, m.plan)
			return err
		})
	})
	if err == nil {
		handed = true
		b.made <- m
		return nil
	}
	if m.op != nil {
		err = m.op.end(context.Background(), err, nil)
	}
	return err
}
