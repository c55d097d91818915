package lio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
)

// Ensure costs the same for every export, however many targets stand: it looks
// at nothing but what the export itself is made of.
func (b *Backend) Ensure(ctx context.Context, exports []target.Export) []target.Result {
	results := make([]target.Result, len(exports))
	ready := b.fabric()
	var group sync.WaitGroup
	slots := make(chan struct{}, b.o.Parallel)
	for i, e := range exports {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			r := target.Result{Err: errors.Join(ready, ctx.Err())}
			if r.Err == nil {
				r.Created, r.Err = b.ensure(e)
			}
			if r.Err != nil {
				r.Err = fmt.Errorf("ensure target %s: %w", e.IQN, r.Err)
			}
			results[i] = r
		})
	}
	group.Wait()
	return results
}

// ensure makes one target. A half-made one is taken away and made anew.
func (b *Backend) ensure(e target.Export) (created bool, err error) {
	if e.CD {
		return false, fault.New(fault.Unsupported, "lio backend does not support cd")
	}
	g, err := b.look(groupDir(e.IQN.String()))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, step(err, "read target")
	}
	mine, err := b.mine(g, e.IQN)
	if err != nil {
		return false, err
	}
	if !mine {
		return false, foreign(g, e)
	}
	if standing := g.disk().shown.Backing; standing != "" && !sameFile(standing, e.Backing) {
		return false, target.OtherBacking(e, standing)
	}
	lacks, err := b.missing(g, e)
	switch {
	case err != nil:
		return false, err
	case lacks == "":
		return false, nil
	case len(g.sessions) > 0:
		return b.adjust(g, e)
	}
	return b.remake(e)
}

// mine reports whether the target of that name is ours to change: it is, when
// our backstore is linked in it or stands by itself, or when there is no target.
func (b *Backend) mine(g group, q iscsi.IQN) (bool, error) {
	if g.ours(q) {
		return true, nil
	}
	if g.linked() {
		return false, nil
	}
	_, err := b.fs.Identity(targetDir(q.String()))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, step(err, "read target")
	}
	at, err := b.loneStore(q)
	return at != "", err
}

// foreign answers for a target that others made: it is taken as it is when it
// serves the right file.
func foreign(g group, e target.Export) error {
	for _, l := range g.luns {
		if l.shown.Backing != "" && sameFile(l.shown.Backing, e.Backing) {
			return nil
		}
	}
	for _, l := range g.luns {
		if l.shown.Backing != "" {
			return target.OtherBacking(e, l.shown.Backing)
		}
	}
	return fault.New(fault.Exists, "target %s already stands, without a disk, and was not made by this agent", e.IQN)
}

func (b *Backend) remake(e target.Export) (bool, error) {
	size, err := capacity(e.Backing)
	if err != nil {
		return false, err
	}
	if err := b.tearDown(e.IQN); err != nil {
		return false, err
	}
	err = b.build(e, size)
	if err == nil {
		err = b.verify(e)
	}
	if err != nil {
		return false, errors.Join(err, b.tearDown(e.IQN))
	}
	return true, nil
}

// verify believes only what the kernel shows.
func (b *Backend) verify(e target.Export) error {
	g, err := b.look(groupDir(e.IQN.String()))
	if err != nil {
		return step(err, "read target back")
	}
	lacks, err := b.missing(g, e)
	if err != nil {
		return err
	}
	if lacks != "" {
		return fault.New(fault.Internal, "lio: the kernel accepted target %s and does not show it as asked: %s", e.IQN, lacks)
	}
	return nil
}

const (
	blockSize = 512
	maxPath   = 255 // FD_MAX_DEV_NAME less its zero byte: the kernel cuts longer ones
)

// capacity is the size of the image in whole blocks. The kernel must not see a
// file that is not there: it would make an empty one and export that.
func capacity(file string) (int64, error) {
	if strings.ContainsAny(file, ",\n") {
		return 0, fault.New(fault.Invalid, "path %q holds a comma or a newline, where the kernel would cut it", file)
	}
	if len(file) > maxPath {
		return 0, fault.New(fault.Invalid, "path %q is longer than %d bytes, where the kernel would cut it", fault.Clip(file), maxPath)
	}
	st, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fault.Wrap(fault.NotFound, err, "file %s does not exist", file)
	}
	if err != nil {
		return 0, fault.Wrap(fault.Internal, err, "file %s cannot be read", file)
	}
	if !st.Mode().IsRegular() {
		return 0, fault.New(fault.Invalid, "%s is not a regular file", file)
	}
	if st.Size() < blockSize {
		return 0, fault.New(fault.Invalid, "file %s has %d bytes, less than one block", file, st.Size())
	}
	return st.Size() &^ (blockSize - 1), nil
}
