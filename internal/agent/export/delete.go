package export

import (
	"context"
	"errors"
	"fmt"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/iscsi"
)

// Delete takes a target down, and with deleteFile its image too. One with
// sessions is InUse unless force closes them.
func (s *Service) Delete(ctx context.Context, q iscsi.IQN, deleteFile, force bool) (err error) {
	defer func() {
		s.ended(err)
		if force && fault.Is(err, fault.InUse) { // it was closed to its machines, and stands
			s.owed.Store(true)
		}
	}()
	if err := s.ours(q); err != nil {
		return err
	}
	if _, err := s.o.Store.Attach(); err != nil {
		return err // not the moment to forget a disk
	}
	st, file, unlock, err := s.lockStanding(ctx, q)
	if err != nil {
		return err
	}
	defer unlock()
	t := st.byName[q.String()]
	var n image.Name
	if file != "" {
		if n, err = parseImage(file); err != nil && deleteFile {
			return err
		}
	}
	if deleteFile && !n.IsZero() {
		if err := errors.Join(s.o.Store.Deletable(n), unshared(st, t, n)); err != nil {
			return err
		}
	}
	if err := s.o.Backend.Remove(context.WithoutCancel(ctx), q, force); err != nil {
		return err
	}
	s.served.change(nil, q.String())
	return s.cleanUp(q, n, deleteFile)
}

// cleanUp deletes the file and the note. The target is down already. A CD's
// other IQN ends with its target; a kept disk keeps the IQN it was given.
func (s *Service) cleanUp(q iscsi.IQN, n image.Name, deleteFile bool) error {
	if deleteFile && !n.IsZero() {
		if err := s.o.Store.Remove(n); err != nil {
			return fmt.Errorf("target %s is down: %w", q, err)
		}
		return s.o.Store.ForgetFile(n)
	}
	if n.IsCD() {
		return s.o.Store.Forget(q)
	}
	return nil
}

// lockStanding finds q's target and locks it with its file. The file is known
// only from the list, so what was seen is looked at again under the locks.
func (s *Service) lockStanding(ctx context.Context, q iscsi.IQN) (st standing, file string, unlock func(), err error) {
	file, err = s.ownFile(ctx, q, &st)
	if err != nil {
		return st, "", nil, err
	}
	for {
		locked := file
		unlock, err = s.locks.lock(ctx, iqnKey(q.String()), fileKey(locked))
		if err != nil {
			return st, "", nil, err
		}
		file, err = s.ownFile(ctx, q, &st)
		if err == nil && file == locked {
			return st, file, unlock, nil
		}
		unlock()
		if err != nil {
			return st, "", nil, err
		}
	}
}

// ownFile is the file that q's target serves; empty when it has none. Targets
// that serve what is not in the folder are not ours.
func (s *Service) ownFile(ctx context.Context, q iscsi.IQN, st *standing) (string, error) {
	var err error
	if *st, err = s.standing(ctx); err != nil {
		return "", err
	}
	t, ok := st.byName[q.String()]
	if !ok {
		return "", fault.New(fault.NotFound, "iqn not found: %s", q)
	}
	for _, l := range t.LUNs {
		if _, ok := s.o.Store.Holds(l.Backing); l.Backing != "" && !ok {
			return "", fault.New(fault.Conflict, "target %s serves %s, which is not in the image folder: it is not this agent's", q, l.Backing)
		}
	}
	file, _ := s.file(t)
	return file, nil
}

// unshared refuses a file that other targets serve too.
func unshared(st standing, t target.Target, n image.Name) error {
	mine, _ := t.Image()
	for _, other := range st.targets {
		for _, l := range other.LUNs {
			if other.Name != t.Name && l.Backing != "" && l.Backing == mine.Backing {
				return fault.New(fault.Conflict, "%s is served as %s too and cannot be deleted", n, other.Name)
			}
		}
	}
	return nil
}

func parseImage(file string) (image.Name, error) {
	if n, err := image.ParseCD(file); err == nil {
		return n, nil
	}
	return image.ParseDisk(file)
}
