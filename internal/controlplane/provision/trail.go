package provision

import (
	"context"

	"ipxe-all-ready/internal/controlplane/audit"
)

// operation is one audited change under way.
type operation struct {
	s    *Service
	span *audit.Span
}

// begin records the intent. When that cannot be written the change is not
// begun: nothing happens here that the trail does not know.
func (s *Service) begin(ctx context.Context, op audit.Op, f audit.Fields) (*operation, error) {
	span, err := s.o.Audit.Start(ctx, op, f)
	if err != nil {
		return nil, err
	}
	return &operation{s: s, span: span}, nil
}

// end records how it went and returns err, so that a use-case can end with it.
// A change that stands is not undone because its end could not be written; the
// next start closes it as interrupted.
func (o *operation) end(ctx context.Context, err error, extra map[string]any) error {
	ctx = detached(ctx)
	var failed error
	if err != nil {
		failed = o.span.Fail(ctx, err, audit.Fields{Extra: extra})
	} else {
		failed = o.span.Succeed(ctx, audit.Fields{Extra: extra})
	}
	if failed != nil {
		o.s.o.Log.Error("the audit trail could not be written", "error", failed)
	}
	return err
}

// once records a change that is its own start and end.
func (s *Service) once(ctx context.Context, op audit.Op, f audit.Fields) {
	if err := s.o.Audit.Once(detached(ctx), op, f); err != nil {
		s.o.Log.Error("the audit trail could not be written", "op", op, "error", err)
	}
}
