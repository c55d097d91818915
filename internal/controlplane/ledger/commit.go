package ledger

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"ipxe-all-ready/internal/fault"
)

// Run commits and watches until ctx ends; then it answers what is queued,
// writes the last boots and returns. It must run once.
func (l *Ledger) Run(ctx context.Context) error {
	reloads := make(chan struct{})
	reloadCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
	go func() { defer close(reloads); l.reload.run(reloadCtx) }()
	// Between a write and its reload a crash leaves dnsmasq behind the file.
	l.reload.ask(1, 0)

	poll, flush := time.NewTicker(l.o.Poll), time.NewTicker(flushEvery)
	defer poll.Stop()
	defer flush.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-l.wake:
			l.gather()
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
	if l.o.May() != nil {
		return // they are the other's to write
	}
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
			g.answer(nil, nil)
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
	g.answer(nil, refusal(err))
}

// finish shows what was written and answers. Who waits for dnsmasq does so by
// himself: nobody else is held up by it.
func (l *Ledger) finish(g group) {
	if g.files.hosts {
		l.book.refreshBindings()
	}
	l.book.marker.note(l.book.files.all())
	old := l.Snapshot()
	l.publish()
	if g.files.workers {
		l.boots.rowsChanged()
	}
	l.tell(old, l.Faults(), false)
	l.book.settle()
	var x *reload
	if g.files.hosts {
		x = l.reload.ask(g.rebound())
	}
	g.answer(x, nil)
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
	needs := t.files
	needs.settings = needs.settings || t.named && t.b.unread
	return t.b.writable(needs)
}

// rebound counts the changes of bindings, and those of them whose callers wait
// for the reload.
func (g group) rebound() (changes, waited int) {
	for i, r := range g.batch {
		if g.changes[i].hosts {
			changes++
			if r.waits {
				waited++
			}
		}
	}
	return changes, waited
}

// answer tells each what became of its change. x is the reload that follows;
// err, of the write, concerns those alone who changed something.
func (g group) answer(x *reload, err error) {
	for i, r := range g.batch {
		a := answer{err: g.errs[i]}
		switch {
		case a.err != nil:
		case err != nil && g.changes[i] != touched{}:
			a.err = err
		case g.changes[i].hosts:
			a.reload = x
		}
		r.done <- a
	}
}

func (t touched) and(o touched) touched {
	return touched{t.workers || o.workers, t.agents || o.agents, t.settings || o.settings, t.hosts || o.hosts}
}
