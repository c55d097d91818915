package provision

import (
	"context"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/controlplane/task"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/iscsi"
)

// diskPlan is a disk as its node will be asked for it.
type diskPlan struct {
	NewDisk
	agent      *ledger.Agent
	iqn        iscsi.IQN
	file       image.Name
	setDefault bool // the worker boots from it from then on
	strange    bool // the node made something else: its file is not ours to delete
}

func (s *Service) planDisk(n NewDisk, w *ledger.Worker, a *ledger.Agent, at node) (p diskPlan, err error) {
	p = diskPlan{NewDisk: n, agent: a}
	name := w.Hostname.String() + "." + n.OS.String()
	if p.iqn, err = at.iqn(name); err != nil {
		return p, err
	}
	if p.file, err = image.ParseDisk(name + ".img"); err != nil {
		return p, err
	}
	return p, diskTaken(s.snapshot(), a.ID, p.iqn.String())
}

// order is what the node is asked for.
func (p diskPlan) order() api.CreateLUN {
	return api.CreateLUN{
		IQN: p.iqn.String(), Filename: p.file.String(), Master: p.Master.String(), Size: p.Size, Existing: p.Existing,
	}
}

// enter puts the disk into the ledger, inside a commit. It changes nothing
// when it fails.
func (p diskPlan) enter(tx *ledger.Tx, made api.LUNCreated) (*ledger.Worker, error) {
	now, err := diskFree(tx, p.NewDisk)
	if err != nil {
		return nil, err
	}
	if err := listed(tx, p.agent.ID); err != nil {
		return nil, err
	}
	w := now.Clone()
	w.Disks = append(w.Disks, ledger.Disk{
		Agent: p.agent.ID, IQN: p.iqn, Filename: p.file, Backing: made.Backing, OS: p.OS, Source: p.source(),
	})
	if p.setDefault {
		w.DefaultOS = p.OS
	}
	w.Settle()
	tx.PutWorker(w)
	return w, nil
}

// left is what stays of the disk if nobody goes on with it: the node's task that
// makes it or, without one, the disk. A file that was there before is not ours
// to delete.
func (p diskPlan) left(agentTask string) task.Left {
	return task.Left{Worker: p.Worker.String(), Agent: p.agent.ID.String(), Task: agentTask, IQN: p.iqn.String(), KeepFile: p.keepsFile()}
}

func (p diskPlan) keepsFile() bool { return p.Existing || p.strange }

// settleDisk ends the care for the disk of item i, which stands at its node and
// is in the ledger now, when err is nil. Else it is taken back; what the node
// does not give back stays noted for ClearLeftovers. It returns err.
func (s *Service) settleDisk(t *task.Task, i int, p diskPlan, err error) error {
	if err == nil || diskTaken(s.snapshot(), p.agent.ID, p.iqn.String()) != nil ||
		s.undoLUN(context.Background(), p.agent, p.iqn.String(), !p.keepsFile()) {
		t.Settle(i)
	}
	return err
}
