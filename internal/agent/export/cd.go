package export

import (
	"context"
	"fmt"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/iscsi"
)

// CreateCD serves an ISO of the folder read-only. A zero IQN is <base>:<iso>.
// A target that stands with that very ISO is success.
func (s *Service) CreateCD(ctx context.Context, iso image.Name, q iscsi.IQN) (_ Created, err error) {
	defer func() { s.ended(err) }()
	if t := s.o.Backend.Traits(); !t.CD {
		return Created{}, fault.New(fault.Unsupported, "%s backend does not support cd", t.Name)
	}
	if q.IsZero() {
		if q, err = s.derived(iso); err != nil {
			return Created{}, err
		}
	}
	if err := s.ours(q); err != nil {
		return Created{}, err
	}
	unlock, err := s.locks.lock(ctx, iqnKey(q.String()), fileKey(iso.String()))
	if err != nil {
		return Created{}, err
	}
	defer unlock()
	stood, err := s.freeForCD(ctx, iso, q)
	if err != nil {
		return Created{}, err
	}
	if err := s.note(q, iso); err != nil {
		return Created{}, err
	}
	if err := s.ensure(ctx, q, iso, stood); err != nil {
		if forgot := s.o.Store.Forget(q); forgot != nil {
			err = fmt.Errorf("%w (and %v)", err, forgot)
		}
		return Created{}, err
	}
	return Created{IQN: q, Backing: s.o.Store.Path(iso)}, nil
}

func (s *Service) freeForCD(ctx context.Context, iso image.Name, q iscsi.IQN) (stood bool, err error) {
	i, err := s.o.Store.Stat(iso)
	if fault.Is(err, fault.NotFound) {
		return false, fault.New(fault.NotFound, "iso %s not found in the image folder", iso)
	}
	if err != nil {
		return false, err
	}
	if err := whole(i); err != nil {
		return false, err
	}
	st, err := s.standing(ctx)
	if err != nil {
		return false, err
	}
	t := st.byName[q.String()]
	stood = s.serves(t, iso)
	if _, hasImage := t.Image(); hasImage && !stood {
		return false, fault.New(fault.Exists, "iqn %s already exists", q)
	}
	if stood {
		if err := s.replaced(q, i); err != nil {
			return false, err
		}
	}
	return stood, s.unclaimed(q, iso)
}
