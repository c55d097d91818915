package lio

import (
	"path"
	"slices"

	"ipxe-all-ready/internal/agent/target"
)

// adjust brings a target with sessions as near to what is asked as can be done
// without disturbing them: its portal and who may log in.
//
// A group that was open may still know initiators of past sessions, and would
// let them in: the kernel lists them nowhere. So one that is narrowed in service
// gets cache_dynamic_acls=0, with which it is not as asked: the first Ensure
// that finds it without sessions makes it anew.
func (b *Backend) adjust(g group, e target.Export) (changed bool, err error) {
	if !slices.Contains(g.portals, b.o.Portal) {
		if err := b.openPortal(g.dir, b.o.Portal); err != nil {
			return false, err
		}
		changed = true
	}
	if e.Initiator.IsZero() {
		if g.open {
			return changed, nil
		}
		return true, b.set(path.Join(g.dir, "attrib"), attributes(e.Initiator))
	}
	if !g.open && g.missingACL(e.Initiator) == "" {
		return changed, nil
	}
	return true, b.narrow(g, e)
}

func (b *Backend) narrow(g group, e target.Export) error {
	if err := b.buildACL(g.dir, e.Initiator); err != nil {
		return err
	}
	want := attributes(e.Initiator)
	delete(want, "cache_dynamic_acls")
	if err := b.set(path.Join(g.dir, "attrib"), want); err != nil {
		return err
	}
	// Last: the kernel passes over it in silence while all may log in.
	if err := b.set(path.Join(g.dir, "attrib"), map[string]string{"cache_dynamic_acls": "0"}); err != nil {
		return err
	}
	for _, a := range g.acls {
		// Removing the ACL of a session would end it.
		if a.name == e.Initiator.String() || a.busy {
			continue
		}
		if err := b.removeACL(path.Join(g.dir, "acls", a.name)); err != nil {
			return err
		}
	}
	return nil
}
