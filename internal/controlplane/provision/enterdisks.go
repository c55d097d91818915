package provision

import (
	"cmp"
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
		wg.Go(func() { b.end(m, cmp.Or(errs[k], err)) })
	}
}

// end ends the item of a disk that was entered, or refused.
func (b *diskBatch) end(m madeDisk, err error) {
	err = b.t.Guard(func() error { return b.s.settleDisk(b.t, m.i, m.plan, err) })
	it := b.items[m.i]
	it.IQN = m.plan.iqn.String()
	it.Err = b.t.Guard(func() error { return m.op.end(context.Background(), err, nil) })
	m.release()
	b.t.End(m.i, it.Err)
}
