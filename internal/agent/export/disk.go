package export

import (
	"context"
	"errors"
	"strings"
	"time"

	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/iscsi"
)

// Disk is a disk to make and serve. Exactly one of Master, Size and Existing is set.
type Disk struct {
	IQN      iscsi.IQN
	Name     image.Name // zero: the IQN's suffix and .img
	Master   image.Name
	Size     image.Size
	Existing bool
}

// CreateDisk makes the file, then its target. When ctx ends in mid-clone, or
// anything fails, neither is left.
func (s *Service) CreateDisk(ctx context.Context, d Disk, tell store.Progress) (Created, error) {
	start, ended := time.Now(), Ended{Cloned: !d.Master.IsZero()}
	made, err := s.createDisk(ctx, d, func(step store.Step) {
		ended.Way = step.Way
		if tell != nil {
			tell(step)
		}
	})
	ended.Bytes, ended.Err, ended.Took = made.Clone.Bytes, err, time.Since(start)
	s.o.Observer.Disk(ended)
	s.ended(err)
	return made, err
}

func (s *Service) createDisk(ctx context.Context, d Disk, tell store.Progress) (Created, error) {
	if err := s.checkDisk(&d); err != nil {
		return Created{}, err
	}
	unlock, err := s.locks.lock(ctx, iqnKey(d.IQN.String()), fileKey(d.Name.String()))
	if err != nil {
		return Created{}, err
	}
	defer unlock()
	stood, err := s.freeForDisk(ctx, d)
	if err != nil {
		return Created{}, err
	}
	if err := s.note(d.IQN, d.Name); err != nil {
		return Created{}, err
	}
	created := Created{IQN: d.IQN, Backing: s.o.Store.Path(d.Name)}
	if created.Clone, err = s.makeFile(ctx, d, tell); err != nil {
		return Created{}, errors.Join(err, s.withdraw(d, false))
	}
	if err := s.ensure(ctx, d.IQN, d.Name, stood); err != nil {
		if stands := s.takeDown(ctx, d, err); stands != nil {
			// A machine may have it already: its file stays, for a scan or a deletion.
			return Created{}, errors.Join(err, stands)
		}
		return Created{}, errors.Join(err, s.withdraw(d, !d.Existing))
	}
	return created, nil
}

// Check refuses what can never be made here, whatever stands.
func (s *Service) Check(d Disk) error { return s.checkDisk(&d) }

func (s *Service) checkDisk(d *Disk) error {
	if err := s.ours(d.IQN); err != nil {
		return err
	}
	if d.Name.IsZero() {
		n, err := image.ParseDisk(strings.TrimPrefix(d.IQN.String(), s.o.Base.String()+":") + ".img")
		if err != nil {
			return err
		}
		d.Name = n
	}
	if d.Name.IsMaster() {
		return fault.New(fault.Invalid, "%s is a master by its name: masters are never exported writable, overwritten or made here", d.Name)
	}
	return nil
}

// freeForDisk refuses an IQN or a file that is taken. An existing disk whose
// target stands already is fine.
func (s *Service) freeForDisk(ctx context.Context, d Disk) (stood bool, err error) {
	st, err := s.standing(ctx)
	if err != nil {
		return false, err
	}
	t, ok := st.byName[d.IQN.String()]
	stood = ok && d.Existing && s.serves(t, d.Name)
	if _, hasImage := t.Image(); hasImage && !stood { // without one it is half-made: Ensure completes it
		return false, fault.New(fault.Exists, "iqn %s already exists", d.IQN)
	}
	if err := s.fileFits(d, stood); err != nil {
		return false, err
	}
	if t, ok := st.byFile[d.Name.String()]; ok && t.Name != d.IQN.String() {
		return false, fault.New(fault.Exists, "file %s is already served as %s", d.Name, t.Name)
	}
	return stood, s.unclaimed(d.IQN, d.Name)
}

// fileFits wants the file there for an existing disk, and not there for a new
// one. A target that stood must serve that very file.
func (s *Service) fileFits(d Disk, stood bool) error {
	i, err := s.o.Store.Stat(d.Name)
	switch {
	case d.Existing && err != nil:
		return err
	case stood && s.replaced(d.IQN, i) != nil:
		return s.replaced(d.IQN, i)
	case d.Existing:
		return whole(i)
	case err == nil:
		return fault.New(fault.Exists, "file %s already exists", d.Name)
	case fault.Is(err, fault.NotFound):
		return nil
	}
	return err
}

func (s *Service) makeFile(ctx context.Context, d Disk, tell store.Progress) (store.Cloned, error) {
	switch {
	case d.Existing:
		return store.Cloned{}, nil
	case !d.Master.IsZero():
		return s.o.Store.Clone(ctx, d.Master, d.Name, tell)
	}
	return store.Cloned{}, s.o.Store.Blank(ctx, d.Name, d.Size)
}

// takeDown removes what a failed Ensure may have left, unless the target is
// another's.
func (s *Service) takeDown(ctx context.Context, d Disk, why error) error {
	if d.Existing || fault.Is(why, fault.Exists) {
		return nil
	}
	return s.o.Backend.Remove(context.WithoutCancel(ctx), d.IQN, false)
}

// withdraw takes back the file, if it was made, and what was noted of it. The
// note of a file that was there before stays: it still tells its IQN.
func (s *Service) withdraw(d Disk, made bool) error {
	if d.Existing {
		return nil
	}
	if !made {
		if _, err := s.o.Store.Stat(d.Name); !fault.Is(err, fault.NotFound) {
			return nil // the file was there before us
		}
		return s.o.Store.ForgetFile(d.Name)
	}
	return errors.Join(s.o.Store.Remove(d.Name), s.o.Store.ForgetFile(d.Name))
}
