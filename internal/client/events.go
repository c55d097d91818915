package client

import (
	"context"
	"io"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

// Event is one change that the control plane tells.
type Event struct {
	ID   string
	Kind string // api.EventWorker …; api.EventReset: read everything anew
	api.Change
}

// Watcher hears of events. Both functions are called one at a time.
type Watcher struct {
	From  string // resume after this event; "" starts now
	Event func(Event)
	// State hears of each time that the stream opens, with nil, or is lost, with
	// why. What is read after it opened misses no event.
	State func(err error)
}

const (
	firstPause = 250 * time.Millisecond
	lastPause  = 15 * time.Second
)

// Watch reads events until ctx ends and returns its error, or the fault of a
// control plane that will not let us read. A lost stream is opened again after
// a growing pause and goes on where it was; where that cannot be, a reset
// comes first.
func (c *ControlPlane) Watch(ctx context.Context, w Watcher) error {
	if w.State == nil {
		w.State = func(error) {}
	}
	s := &watching{c: c, w: w, last: w.From}
	pause := firstPause
	for {
		opened, err := s.once(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if final(err) {
			return err
		}
		w.State(err)
		if opened {
			pause = firstPause
		}
		if err := c.o.Wait(ctx, pause); err != nil {
			return err
		}
		pause = min(2*pause, lastPause)
	}
}

// final reports whether asking again is of no use.
func final(err error) bool {
	switch fault.KindOf(err) {
	case fault.Unauthorized, fault.Forbidden, fault.NotFound, fault.Invalid:
		return true
	}
	return false
}

// watching is a place in the stream, over many connections.
type watching struct {
	c    *ControlPlane
	w    Watcher
	last string // the id of the last event
	gap  bool   // a connection was lost before its first event: what came since is not known
}

// once reads one connection to its end. opened tells that it stood.
func (s *watching) once(ctx context.Context) (opened bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silent := s.c.peer().fault(fault.Unavailable, "control_plane_unreachable", nil, "the event stream has been silent for "+s.c.o.Silence.String())
	alarm := time.AfterFunc(s.c.o.Silence, func() { cancel(silent) })
	defer alarm.Stop()

	body, err := s.c.open(ctx, s.last)
	if err == nil {
		defer body.Close()
		opened = true
		s.w.State(nil)
		if s.gap {
			s.w.Event(Event{Kind: api.EventReset})
		}
		err = s.read(body, func() { alarm.Reset(s.c.o.Silence) })
		s.gap = s.last == ""
	}
	if cause := context.Cause(ctx); cause == silent {
		return opened, silent
	}
	return opened, err
}

// read hands every event on; each line, a heartbeat's too, proves life.
func (s *watching) read(body io.Reader, alive func()) error {
	lines := newEventLines(body)
	for {
		e, err := lines.next(alive)
		if err != nil {
			return s.c.peer().fault(fault.Unavailable, "control_plane_unreachable", err, "the event stream ended")
		}
		if e.ID != "" {
			s.last = e.ID
		}
		s.w.Event(e)
	}
}
