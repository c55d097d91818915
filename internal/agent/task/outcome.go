package task

import (
	"context"
	"errors"

	"ipxe-all-ready/internal/fault"
)

// Outcome is err, or why ctx ended where err says no more than that it did.
func Outcome(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) && fault.As(err) == nil {
		return context.Cause(ctx)
	}
	return err
}
