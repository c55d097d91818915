package provision

import (
	"fmt"
	"runtime/debug"
	"sync"

	"ipxe-all-ready/internal/controlplane/ledger"
)

// atOnce calls f for every item at the same time and returns what each came to,
// in their order. A panic is its item's error.
func atOnce[T, R any](s *Service, items []T, f func(T) (R, error)) ([]R, []error) {
	out, errs := make([]R, len(items)), make([]error, len(items))
	var wg sync.WaitGroup
	for i, item := range items {
		wg.Go(func() {
			errs[i] = s.guarded(func() (err error) {
				out[i], err = f(item)
				return err
			})
		})
	}
	wg.Wait()
	return out, errs
}

// guarded calls f in a goroutine of our own, where a panic that nobody catches
// is the daemon's end and not one request's.
func (s *Service) guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.o.Log.Error("a panic while nodes were asked", "value", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

// agentsThat are the nodes of the inventory that fit.
func agentsThat(snap *ledger.Snapshot, fits func(*ledger.Agent) bool) (out []*ledger.Agent) {
	for _, a := range snap.Agents() {
		if fits(a) {
			out = append(out, a)
		}
	}
	return out
}
