package store

import (
	"context"
	"errors"
	"syscall"
)

// copy waits for its turn, claims the space and copies.
func (c cloning) copy(ctx context.Context) error {
	if err := c.turn(ctx); err != nil {
		return err
	}
	defer func() { <-c.store.slots }()
	need, err := c.need()
	if err != nil {
		return err
	}
	space, err := c.store.claim(c.root, c.name, need)
	if err != nil {
		return err
	}
	defer space.end()
	data, err := dataIn(c.src, c.size)
	if err != nil {
		return err
	}
	// What a reflink given up half-way may have left.
	if err := errors.Join(c.dst.Truncate(0), c.dst.Truncate(c.size)); err != nil {
		return err
	}
	step := Step{Way: WayCopy, Total: data}
	c.tell(step)
	err = copySparse(ctx, c.dst, c.src, c.size, func(wrote int64) {
		space.wrote(wrote)
		step.Done += wrote
		step.Total = max(step.Total, step.Done) // somebody writes to the master: refused at the end
		c.tell(step)
	})
	if err != nil {
		return err
	}
	if step.Total == 0 { // a master of holes alone is copied too
		step.Total = c.size
	}
	step.Done = step.Total
	c.tell(step)
	return ctx.Err()
}

// turn takes a slot among the full copies.
func (c cloning) turn(ctx context.Context) error {
	select {
	case c.store.slots <- struct{}{}:
		return nil
	default:
	}
	c.tell(Step{Way: WayCopy, Waiting: true})
	select {
	case c.store.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// need is the space that a full copy takes, in bytes.
func (c cloning) need() (int64, error) {
	info, err := c.src.Stat()
	if err != nil {
		return 0, err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return min(c.size, st.Blocks*512), nil // st_blocks counts 512 bytes, whatever the block size
	}
	return c.size, nil
}
