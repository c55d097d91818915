package ledger

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"ipxe-all-ready/internal/fault"
)

// request is one Commit that waits for its answer.
type request struct {
	fn    func(*Tx) error
	taken atomic.Bool // by the committer, or by a caller that gave up
	done  chan answer // holds one
}

type answer struct {
	receipt Receipt
	err     error
}

func (l *Ledger) enqueue(r *request) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return fault.New(fault.Unavailable, "the control plane is stopping")
	}
	l.waiting = append(l.waiting, r)
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return nil
}

// takeAll takes what waits; last also closes the queue.
func (l *Ledger) takeAll(last bool) []*request {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = l.closed || last
	all := l.waiting
	l.waiting = nil
	batch := all[:0:0]
	for _, r := range all {
		if r.taken.CompareAndSwap(false, true) {
			batch = append(batch, r)
		}
	}
	return batch
}

// Run commits and watches until ctx ends; then it answers what is queued,
// writes the last boots and returns. It must run once.
func (l *Ledger) Run(ctx context.Context) error {
	reloads := make(chan struct{})
	reloadCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
	go func() { defer close(reloads); l.reload.run(reloadCtx) }()
	// Between a write and its reload a crash leaves dnsmasq behind the file.
	l.reload.ask(nil)

	poll, flush := time.NewTicker(l.o.Poll), time.NewTicker(flushEvery)
	defer poll.Stop()
	defer flush.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-l.wake:
			l.commit(l.takeAll(false))
		case <-poll.C:
			l.look()
		case <-flush.C:
			l.flushBoots()
		}
	}
	l.commit(l.takeAll(true))
	l.flushBoots()
	stop()
	<-reloads
	return nil
}

func (l *Ledger) flushBoots() {
	if err := l.boots.flush(l.Snapshot().workers); err != nil {
		l.o.Log.Error("last boots not written", "err", err)
	}
}

// maxTries is how often a commit starts anew because a person edited a file
// while it was being made.
const maxTries = 4

// commit makes one group of changes durable and answers each.
func (l *Ledger) commit(batch []*request) {
	if len(batch) == 0 {
		return
	}
	start := time.Now()
	err, g := errEdited, group{}
	for range maxTries {
		l.readEdits()
		if g = l.apply(batch); g.files == (touched{}) {
			l.book.settle()
			g.answerAll(nil, nil)
			return
		}
		if err = l.book.store(g.files); err == nil {
			l.o.OnCommit(len(g.undo), time.Since(start), nil)
			l.finish(g)
			return
		}
		l.book.undo(g)
		if !errors.Is(err, errEdited) {
			break
		}
	}
	l.readEdits()
	l.o.Log.Error("ledger not written", "err", err)
	l.o.OnCommit(len(g.undo), time.Since(start), err)
	g.answerAll(nil, refusal(err))
}

// finish shows what was written, and hands those who wait for dnsmasq over.
func (l *Ledger) finish(g group) {
	if g.files.hosts {
		l.book.refreshBindings()
	}
	old := l.Snapshot()
	l.publish()
	l.tell(old, l.Faults(), false)
	l.book.settle()
	if g.files.hosts && l.o.Reload != nil {
		l.reload.ask(&g)
		return
	}
	g.answerAll(nil, nil)
}

// group is the requests of one commit and what became of each.
type group struct {
	batch   []*request
	errs    []error   // of the functions themselves
	changes []touched // by each
	files   touched   // by all
	undo    []*Tx
}

func (l *Ledger) apply(batch []*request) group {
	g := group{batch: batch, errs: make([]error, len(batch)), changes: make([]touched, len(batch))}
	for i, r := range batch {
		tx := &Tx{b: l.book}
		if g.errs[i] = tx.run(r.fn); g.errs[i] != nil {
			tx.rollback()
			continue
		}
		g.undo = append(g.undo, tx)
		g.changes[i] = tx.files
		g.files = g.files.and(tx.files)
	}
	return g
}

// run calls fn. A panic in it is that caller's failure and not the committer's.
func (t *Tx) run(fn func(*Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Wrap(fault.Internal, fmt.Errorf("panic: %v\n%s", p, debug.Stack()), "the change could not be made")
		}
	}()
	if err := fn(t); err != nil {
		return err
	}
	return t.b.writable(t.files)
}

func (g group) answerAll(reloaded *bool, err error) {
	for i, r := range g.batch {
		a := answer{err: g.errs[i]}
		switch {
		case a.err != nil:
		case err != nil && g.changes[i] != touched{}:
			a.err = err
		case reloaded != nil && g.changes[i].hosts:
			ok := *reloaded
			a.receipt.Reloaded = &ok
		}
		r.done <- a
	}
}

func (t touched) and(o touched) touched {
	return touched{t.workers || o.workers, t.agents || o.agents, t.settings || o.settings, t.hosts || o.hosts}
}
