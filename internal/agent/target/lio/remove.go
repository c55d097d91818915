package lio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"syscall"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
)

// Remove looks at the sessions itself: the kernel takes any target away under
// its initiators.
func (b *Backend) Remove(_ context.Context, q iscsi.IQN, force bool) error {
	if err := b.fabric(); err != nil {
		return fmt.Errorf("remove target %s: %w", q, err)
	}
	if err := b.remove(q, force); err != nil {
		if fault.Is(err, fault.InUse) {
			return err
		}
		return fmt.Errorf("remove target %s: %w", q, err)
	}
	return nil
}

func (b *Backend) remove(q iscsi.IQN, force bool) error {
	g, err := b.look(groupDir(q.String()))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return step(err, "read target")
	}
	mine, err := b.mine(g, q)
	if err != nil {
		return err
	}
	if !mine {
		return fault.New(fault.Conflict, "target %s was not made by this agent", q)
	}
	if !force {
		if err := b.shutOut(g, q); err != nil {
			return err
		}
	}
	if err := b.tearDown(q); err != nil {
		return err
	}
	return b.gone(q)
}

// shutOut refuses when there are sessions. Between looking and removing another
// one could log in: without portals none can, so it looks again behind them.
func (b *Backend) shutOut(g group, q iscsi.IQN) error {
	if len(g.sessions) > 0 {
		return inUse(q, g.sessions)
	}
	for _, p := range g.portals {
		if err := b.closePortal(path.Join(g.dir, "np", p)); err != nil {
			return err
		}
	}
	late := group{dir: g.dir}
	if err := b.who(&late); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return step(err, "read sessions")
	}
	if len(late.sessions) == 0 {
		return nil
	}
	for _, p := range g.portals {
		if err := b.openPortal(g.dir, p); err != nil {
			return err
		}
	}
	return inUse(q, late.sessions)
}

func inUse(q iscsi.IQN, sessions []target.Session) error {
	return target.InUse(q, target.Target{Sessions: sessions}.Initiators())
}

// tearDown takes away all that is there of our target and its backstore. What
// is not there is no error, so that it can go on where an earlier one stopped.
func (b *Backend) tearDown(q iscsi.IQN) error {
	stores, err := b.linkedStores(q)
	if err != nil {
		return err
	}
	dir := groupDir(q.String())
	// Disabling ends the sessions. To unlink the LUN first would answer their
	// last writes from nowhere.
	if err := b.disable(dir); err != nil {
		return err
	}
	for _, part := range []struct {
		name   string
		remove func(dir string) error
	}{
		{"acls", b.removeACL},
		{"np", b.closePortal},
		{"lun", b.removeLUN},
	} {
		if err := b.eachDir(path.Join(dir, part.name), part.remove); err != nil {
			return err
		}
	}
	if err := b.drop(dir, "remove tpgt_1"); err != nil {
		return err
	}
	if err := b.drop(targetDir(q.String()), "remove %s", q); err != nil {
		return err
	}
	places := hbas(q)
	for _, store := range stores {
		if err := b.drop(store, "remove backstore %s", path.Base(store)); err != nil {
			return err
		}
		places = append(places, path.Dir(store))
	}
	return b.leave(places)
}

// disable leaves alone what is off: some kernels refuse to switch it off again.
func (b *Backend) disable(group string) error {
	enabled, err := b.attr(path.Join(group, "enable"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && enabled == "1" {
		err = b.fs.Write(path.Join(group, "enable"), "0")
	}
	return step(err, "disable target")
}

// linkedStores are the backstores of ours behind a target, or where it should be.
func (b *Backend) linkedStores(q iscsi.IQN) ([]string, error) {
	var stores []string
	luns, err := b.luns(path.Join(groupDir(q.String()), "lun"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, step(err, "read target")
	}
	for _, l := range luns {
		if path.Base(l.store) == storeName(q) {
			stores = append(stores, l.store)
		}
	}
	lone, err := b.loneStore(q)
	if lone != "" && !slices.Contains(stores, lone) {
		stores = append(stores, lone)
	}
	return stores, err
}

// leave gives HBAs back that nothing is on.
func (b *Backend) leave(hbas []string) error {
	b.hba.Lock()
	defer b.hba.Unlock()
	for _, hba := range hbas {
		err := b.fs.Remove(hba)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTEMPTY) {
			return step(err, "remove %s", path.Base(hba))
		}
	}
	return nil
}

func (b *Backend) removeACL(dir string) error {
	if err := b.eachDir(dir, b.removeLUN); err != nil {
		return err
	}
	return b.drop(dir, "remove acl of %s", path.Base(dir))
}

// removeLUN removes a LUN of a group, or its mapping in an ACL.
func (b *Backend) removeLUN(dir string) error {
	if _, ok := numbered(path.Base(dir), "lun"); !ok {
		return nil // statistics and the like are the kernel's
	}
	link, _, err := b.link(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return step(err, "read %s", path.Base(dir))
	}
	if link != "" {
		if err := b.drop(link, "unlink %s", path.Base(dir)); err != nil {
			return err
		}
	}
	return b.drop(dir, "remove %s", path.Base(dir))
}

func (b *Backend) eachDir(dir string, do func(dir string) error) error {
	entries, err := b.fs.List(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return step(err, "read %s", path.Base(dir))
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := do(path.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// drop removes what may be gone already.
func (b *Backend) drop(name, format string, args ...any) error {
	if err := b.fs.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return step(err, format, args...)
	}
	return nil
}

// gone verifies a removal.
func (b *Backend) gone(q iscsi.IQN) error {
	lone, err := b.loneStore(q)
	if err != nil {
		return err
	}
	if _, err := b.fs.Identity(targetDir(q.String())); err == nil || lone != "" {
		return fault.New(fault.Internal, "lio: the kernel accepted the removal of %s and still shows it", q)
	}
	return nil
}
