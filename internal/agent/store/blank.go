package store

import (
	"context"

	"ipxe-all-ready/internal/image"
)

// Blank makes a sparse disk that reads as zeros.
func (s *Store) Blank(ctx context.Context, n image.Name, size image.Size) error {
	root, err := s.open()
	if err != nil {
		return err
	}
	if err := s.absent(root, n); err != nil {
		return err
	}
	p, err := s.begin(root, n, int64(size))
	if err != nil {
		return err
	}
	defer p.discard()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.publish(p, n); err != nil {
		return s.failed(err, "create %s", n)
	}
	return nil
}
