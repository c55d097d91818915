package export

import (
	"context"
	"slices"
	"sync"
)

// locks are held by name: one for an IQN, one for a file. Requests for one name
// wait in line, those for others pass.
type locks struct {
	mu   sync.Mutex
	held map[string]*held
}

type held struct {
	turn    chan struct{} // holds one token while the name is free
	waiting int           // holder and those in line
}

func newLocks() *locks { return &locks{held: map[string]*held{}} }

// lock takes all names or none. They are taken in one order by everybody, so
// that no two wait for each other.
func (l *locks) lock(ctx context.Context, names ...string) (unlock func(), err error) {
	slices.Sort(names)
	names = slices.Compact(names)
	for i, name := range names {
		if err := l.take(ctx, name); err != nil {
			l.giveBack(names[:i])
			return nil, err
		}
	}
	return func() { l.giveBack(names) }, nil
}

// tryLock does not wait. ok is false when one of the names is held.
func (l *locks) tryLock(names ...string) (unlock func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range names {
		if l.held[name] != nil {
			return nil, false
		}
	}
	for _, name := range names {
		l.held[name] = &held{turn: make(chan struct{}, 1), waiting: 1}
	}
	return func() { l.giveBack(names) }, true
}

func (l *locks) take(ctx context.Context, name string) error {
	l.mu.Lock()
	h := l.held[name]
	if h == nil {
		l.held[name] = &held{turn: make(chan struct{}, 1), waiting: 1}
		l.mu.Unlock()
		return nil
	}
	h.waiting++
	l.mu.Unlock()
	select {
	case <-h.turn:
		return nil
	case <-ctx.Done():
		l.mu.Lock()
		defer l.mu.Unlock()
		l.leave(name, h)
		return ctx.Err()
	}
}

func (l *locks) giveBack(names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range names {
		h := l.held[name]
		h.turn <- struct{}{}
		l.leave(name, h)
	}
}

// leave forgets a name that nobody holds or waits for.
func (l *locks) leave(name string, h *held) {
	if h.waiting--; h.waiting == 0 {
		delete(l.held, name)
	}
}

func iqnKey(name string) string  { return "iqn " + name }
func fileKey(name string) string { return "file " + name }
