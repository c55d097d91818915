package audit

import (
	"cmp"
	"context"
	"sync/atomic"
)

// Span is one operation under way. Its first end counts; the end of a request
// does not keep it out of the trail.
type Span struct {
	log    *Log
	op     Op
	fields Fields
	id     int64
	ended  atomic.Bool
}

// ID is the id of the start, the ref of the end.
func (s *Span) ID() int64 { return s.id }

// Succeed records the end. Worker, agent and client are the start's where f
// names none.
func (s *Span) Succeed(ctx context.Context, f Fields) error { return s.end(ctx, Succeeded, "", f) }

// Fail records the end with what a person needs to know of err.
func (s *Span) Fail(ctx context.Context, err error, f Fields) error {
	return s.end(ctx, Failed, sentence(err), f)
}

func (s *Span) end(ctx context.Context, status Status, failure string, f Fields) error {
	if s.ended.Swap(true) {
		return nil
	}
	f.WorkerID = cmp.Or(f.WorkerID, s.fields.WorkerID)
	f.Agent = cmp.Or(f.Agent, s.fields.Agent)
	f.Client = cmp.Or(f.Client, s.fields.Client)
	e := s.log.entry(s.op, status, f)
	e.ref, e.failure = s.id, failure
	return s.log.happened(ctx, e)
}
