package provision

import (
	"context"
	"sync"
	"sync/atomic"

	"ipxe-all-ready/internal/controlplane/task"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// gates let so many items of all batches be worked on at one node at a time.
type gates struct {
	width int
	mu    sync.Mutex
	of    map[netboot.AgentID]chan struct{}
}

// enter waits for a place at the node; leave gives it back.
func (g *gates) enter(ctx context.Context, id netboot.AgentID) (leave func(), err error) {
	g.mu.Lock()
	if g.of == nil {
		g.of = make(map[netboot.AgentID]chan struct{})
	}
	if g.of[id] == nil {
		g.of[id] = make(chan struct{}, g.width)
	}
	gate := g.of[id]
	g.mu.Unlock()
	select {
	case gate <- struct{}{}:
		return func() { <-gate }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// inLanes works on the places 0 to n-1: those of one node in order and so many
// at a time as its gate lets in, those of different nodes side by side. It
// returns when all are done.
func (s *Service) inLanes(n int, nodeOf func(i int) netboot.AgentID, work func(i int)) {
	lanes := make(map[netboot.AgentID][]int)
	for i := range n {
		id := nodeOf(i)
		lanes[id] = append(lanes[id], i)
	}
	var wg sync.WaitGroup
	for _, places := range lanes {
		var next atomic.Int64
		for range min(s.gates.width, len(places)) {
			wg.Go(func() {
				for at := next.Add(1) - 1; at < int64(len(places)); at = next.Add(1) - 1 {
					work(places[at])
				}
			})
		}
	}
	wg.Wait()
}

// batch is what the items of one batch share.
type batch struct {
	s  *Service
	t  *task.Task
	mu sync.Mutex
	// The nodes that did not answer: the rest of their items fails at once, so
	// that a dead node costs a batch its time-out and not that of every item.
	silent map[netboot.AgentID]error
}

// at runs f at a node, when there is a place.
func (b *batch) at(id netboot.AgentID, f func() error) error {
	leave, err := b.s.gates.enter(b.t.Context(), id)
	if err != nil {
		return err
	}
	defer leave()
	if err := ended(b.t, b.known(id)); err != nil {
		return err
	}
	err = f()
	if fault.CodeOf(err) == "agent_unreachable" && ended(b.t, nil) == nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.silent == nil {
			b.silent = make(map[netboot.AgentID]error)
		}
		b.silent[id] = err
	}
	return err
}

func (b *batch) known(id netboot.AgentID) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.silent[id]
}
