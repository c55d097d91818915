package store

import (
	"errors"
	"os"
	"sync"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
)

// ledger is the space that copies under way still need.
type ledger struct {
	mu      sync.Mutex
	pending int64
}

// begin admits a new disk of size bytes and makes its partial file in one
// step, so that of two callers one sees the other's file.
func (s *Store) begin(root *os.Root, n image.Name, size int64) (*partial, error) {
	if err := errors.Join(s.guard(root), s.mark(root)); err != nil {
		return nil, err
	}
	s.space.mu.Lock()
	defer s.space.mu.Unlock()
	space, err := s.spaceOf(root)
	if err != nil {
		return nil, err
	}
	if keep := space.Reserve; space.Free-s.space.pending < keep {
		return nil, fault.New(fault.NoSpace, "%d bytes are free and %d are kept in reserve: no space for %s",
			max(0, space.Free-s.space.pending), keep, n)
	}
	if err := s.overcommitted(root, space, n, size); err != nil {
		return nil, err
	}
	p, err := temp(root)
	if err == nil {
		if err = p.Truncate(size); err != nil {
			p.discard()
		}
	}
	if err != nil {
		return nil, s.failed(err, "create %s", n)
	}
	return p, nil
}

// claim reserves bytes for a full copy; progress gives them back piece by piece.
func (s *Store) claim(root *os.Root, n image.Name, need int64) (*claim, error) {
	s.space.mu.Lock()
	defer s.space.mu.Unlock()
	space, err := s.spaceOf(root)
	if err != nil {
		return nil, err
	}
	keep := space.Reserve
	if free := space.Free - s.space.pending; free-need < keep {
		return nil, fault.New(fault.NoSpace, "a full copy needs %d bytes for %s; %d are free and %d of them are kept in reserve",
			need, n, max(0, free), keep)
	}
	s.space.pending += need
	return &claim{ledger: &s.space, left: need}, nil
}

type claim struct {
	ledger *ledger
	left   int64
}

// wrote gives n bytes back: the file system counts them now.
func (c *claim) wrote(n int64) {
	c.ledger.mu.Lock()
	defer c.ledger.mu.Unlock()
	n = min(n, c.left)
	c.left -= n
	c.ledger.pending -= n
}

func (c *claim) end() { c.wrote(c.left) }

// overcommitted refuses to promise more than the set ratio. Files in the
// making count: they have their full size from the start.
func (s *Store) overcommitted(root *os.Root, space Space, n image.Name, size int64) error {
	if s.o.Overcommit == 0 {
		return nil
	}
	promised, err := s.promised(root)
	if err != nil {
		return err
	}
	if limit := int64(s.o.Overcommit * float64(space.Total)); promised+size > limit {
		return fault.New(fault.NoSpace, "%s of %d bytes on top of the %d promised already would be more than %g times the %d bytes there are",
			n, size, promised, s.o.Overcommit, space.Total)
	}
	return nil
}
