package export

import (
	"context"
	"slices"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
)

// Scanned is what a scan did.
type Scanned struct {
	Created []Scan
	Skipped []string // IQNs that stand, files that want no target
	Failed  []Failed

	refused bool // by the server, which may think better of it
}

// Scan is one target that a scan made.
type Scan struct {
	IQN iscsi.IQN
	CD  bool
}

// Failed is one file, or IQN, that a scan could not bring in line.
type Failed struct {
	Name  string
	Error string
}

// Scan gives every image of the folder a target and leaves those that stand
// alone, but for idle ones whose file was replaced. What another request is
// working on is left to it. One scan runs at a time.
func (s *Service) Scan(ctx context.Context) (Scanned, error) {
	done, err := s.rescan(ctx)
	if done.refused || unsettled(err) {
		s.owed.Store(true)
	}
	return done, err
}

// rescan is a scan whose caller makes the next one, should it be needed.
func (s *Service) rescan(ctx context.Context) (Scanned, error) {
	done, err := s.compare(ctx)
	s.o.Observer.Scan(err)
	return done, err
}

func (s *Service) compare(ctx context.Context) (Scanned, error) {
	select {
	case <-s.scan:
		defer func() { s.scan <- struct{}{} }()
	case <-ctx.Done():
		return Scanned{}, ctx.Err()
	}
	st, err := s.standing(ctx)
	if err != nil {
		return Scanned{}, err
	}
	p, err := s.plan(st)
	if err != nil {
		return Scanned{}, err
	}
	done := Scanned{Created: []Scan{}, Skipped: p.skipped, Failed: p.failed}
	claims, unlock := s.claimLocks(p.claims, &done)
	defer unlock()
	if claims, err = s.recheck(ctx, st, claims, &done); err != nil {
		return Scanned{}, err
	}
	claims, images := s.renew(ctx, st, claims, &done)
	results := s.o.Backend.Ensure(ctx, s.exports(claims))
	s.rememberAll(st, claims, images, results)
	if err := ctx.Err(); err != nil {
		return Scanned{}, err // the rows would say no more than that
	}
	if err := done.add(claims, results); err != nil {
		return Scanned{}, err
	}
	slices.Sort(done.Skipped)
	done.Skipped = slices.Compact(done.Skipped)
	return done, nil
}

// claimLocks takes what nobody works on.
func (s *Service) claimLocks(claims []claim, done *Scanned) (mine []claim, unlock func()) {
	var held []func()
	files := map[string]bool{} // of this scan: a CD may have several IQNs
	for _, c := range claims {
		names := []string{iqnKey(c.q.String())}
		if !files[c.n.String()] {
			names = append(names, fileKey(c.n.String()))
		}
		release, ok := s.locks.tryLock(names...)
		if !ok {
			done.Skipped = append(done.Skipped, c.q.String())
			continue
		}
		files[c.n.String()] = true
		held = append(held, release)
		mine = append(mine, c)
	}
	return mine, func() {
		for _, release := range held {
			release()
		}
	}
}

// add sorts the results. A server that does not answer fails the whole scan:
// it will be done again when the server is back.
func (d *Scanned) add(claims []claim, results []target.Result) error {
	for i, c := range claims {
		r := results[i]
		switch {
		case fault.Is(r.Err, fault.Unavailable):
			return r.Err
		case r.Err != nil:
			d.Failed = append(d.Failed, Failed{Name: c.n.String(), Error: fault.Sentence(r.Err)})
			d.refused = d.refused || unsettled(r.Err)
		case r.Created:
			d.Created = append(d.Created, Scan{IQN: c.q, CD: c.n.IsCD()})
		default:
			d.Skipped = append(d.Skipped, c.q.String())
		}
	}
	return nil
}
