package provision

import (
	"context"
	"sync"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/ledger"
)

// gathering is how long a batch's first made disk waits for others, so that
// they are entered together.
const gathering = 100 * time.Millisecond

// madeDisk is a disk that stands at its node and is not in the ledger yet.
type madeDisk struct {
	i       int // of its item
	plan    diskPlan
	disk    api.LUNCreated
	op      *operation
	release func()
}

// enterAll enters what is made, many disks in one commit, until no more comes.
func (b *diskBatch) enterAll() {
	for first := range b.made {
		group := []madeDisk{first}
		for wait := time.After(gathering); wait != nil; {
			select {
			case m, more := <-b.made:
				if more {
					group = append(group, m)
					continue
				}
			case <-wait:
			}
			wait = nil
		}
		b.enter(group)
	}
}

// enter commits a group. What the ledger refuses of it is taken back at the
// node and does not hold up the rest.
func (b *diskBatch) enter(group []madeDisk) {
	errs := make([]error, len(group))
	_, err := b.s.o.Ledger.Commit(context.Background(), func(tx *ledger.Tx) error {
		for k, m := range group {
			_, errs[k] = m.plan.enter(tx, m.disk)
		}
		return nil
	})
	var wg sync.WaitGroup
	defer wg.Wait()
	for k, m := range group {
		wg.Go(func() {
			defer m.release()
			if errs[k] == nil {
				errs[k] = err
			}
			if errs[k] != nil {
				b.s.undoDisk(m.plan)
			}
			it := b.items[m.i]
			it.IQN, it.Err = m.plan.iqn.String(), m.op.end(context.Background(), errs[k], nil)
			b.t.End(m.i, it.Err)
		})
	}
}
