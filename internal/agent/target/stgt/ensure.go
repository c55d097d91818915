package stgt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
)

// attempts to make one target while others give out the same target ids.
const attempts = 20

// everyone is the address that admits all initiators.
const everyone = "ALL"

// Ensure shows all targets once before and, if anything changed, once after,
// however many exports there are: a show grows with the number of targets. When
// tgtd is found dead or hanging the rest is not tried.
func (b *Backend) Ensure(ctx context.Context, exports []target.Export) []target.Result {
	results := make([]target.Result, len(exports))
	before, err := b.view(ctx)
	if err != nil {
		return failAll(results, exports, err)
	}
	ids := &lease{b: b}
	defer ids.release()
	work, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	b.eachInParallel(len(exports), func(i int) {
		if work.Err() != nil {
			results[i].Err = context.Cause(work)
			return
		}
		results[i].Created, results[i].Err = b.ensure(work, exports[i], before, ids)
		if fault.Is(results[i].Err, fault.Unavailable) {
			giveUp(results[i].Err)
		}
	})
	if slices.ContainsFunc(results, func(r target.Result) bool { return r.Created }) {
		if err := b.verify(ctx, exports, results); err != nil {
			return failAll(results, exports, err)
		}
	}
	return name(results, exports)
}

// verify believes only what tgtd shows.
func (b *Backend) verify(ctx context.Context, exports []target.Export, results []target.Result) error {
	after, err := b.view(ctx)
	if err != nil {
		return err
	}
	for i, e := range exports {
		if !results[i].Created {
			continue
		}
		if t, ok := after.byName[e.IQN.String()]; !ok || !asAsked(t, e) {
			results[i] = target.Result{Err: fault.New(fault.Internal, "tgtd accepted target %s and does not show it as asked", e.IQN)}
		}
	}
	return nil
}

func failAll(results []target.Result, exports []target.Export, err error) []target.Result {
	for i := range results {
		results[i] = target.Result{Err: err}
	}
	return name(results, exports)
}

// name puts act and object in front of the errors.
func name(results []target.Result, exports []target.Export) []target.Result {
	for i, e := range exports {
		if err := results[i].Err; err != nil {
			results[i].Err = fmt.Errorf("ensure target %s: %w", e.IQN, err)
		}
	}
	return results
}

func (b *Backend) eachInParallel(n int, do func(i int)) {
	var group sync.WaitGroup
	slots := make(chan struct{}, b.o.Parallel)
	for i := range n {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			do(i)
		})
	}
	group.Wait()
}

func (b *Backend) view(ctx context.Context) (*view, error) {
	targets, err := b.show(ctx)
	if err != nil {
		return nil, err
	}
	return newView(targets), nil
}

// ensure makes or completes one target. created says that something was changed.
func (b *Backend) ensure(ctx context.Context, e target.Export, v *view, ids *lease) (created bool, err error) {
	if strings.ContainsAny(e.Backing, ",\n") {
		return false, fault.New(fault.Invalid, "path %q holds a comma or a newline, where tgtd would cut it", e.Backing)
	}
	for range attempts {
		if t, ok := v.byName[e.IQN.String()]; ok {
			return b.complete(ctx, t, e)
		}
		err = b.create(ctx, e, ids.take(v))
		if !says(err, saysTargetExists) {
			return err == nil, err
		}
		// Somebody took the id, or the name, since the show: look again.
		if v, err = b.view(ctx); err != nil {
			return false, err
		}
	}
	return false, fault.New(fault.Internal, "no free target id for %s after %d attempts", e.IQN, attempts)
}

// create makes a target that is not there. Initiators are admitted last, so
// that none logs in before there is a disk.
func (b *Backend) create(ctx context.Context, e target.Export, id int) error {
	tid := strconv.Itoa(id)
	if _, err := b.adm.run(ctx, "--mode", "target", "--op", "new", "--tid", tid, "--targetname", e.IQN.String()); err != nil {
		return err
	}
	if _, err := b.complete(ctx, target.Target{TID: id, Name: e.IQN.String()}, e); err != nil {
		return errors.Join(err, b.undo(ctx, tid))
	}
	return nil
}

// undo removes a target that could not be completed, also when the caller is gone.
func (b *Backend) undo(ctx context.Context, tid string) error {
	_, err := b.adm.run(context.WithoutCancel(ctx), "--mode", "target", "--op", "delete", "--force", "--tid", tid)
	if err != nil && !says(err, saysNoTarget) {
		return fmt.Errorf("undo: %w", err)
	}
	return nil
}
