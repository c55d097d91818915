package stgt

import (
	"context"
	"os"
	"slices"
	"strconv"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
)

// complete does what is missing of a standing target and leaves the rest alone.
func (b *Backend) complete(ctx context.Context, t target.Target, e target.Export) (changed bool, err error) {
	tid := strconv.Itoa(t.TID)
	l, ok := t.Image()
	switch {
	case ok && !sameFile(l.Backing, e.Backing):
		return false, target.OtherBacking(e, l.Backing)
	case ok && l.Type != kind(e):
		return false, fault.New(fault.Exists, "target %s already stands and serves %s as %s", e.IQN, l.Backing, l.Type)
	case !ok:
		if err := b.addLUN(ctx, tid, e); err != nil {
			return false, err
		}
		changed = true
	}
	// A running system must not see its disk change its name: only before login.
	if l.Serial != e.Serial() && len(t.Sessions) == 0 {
		params := "scsi_id=" + e.Serial() + ",scsi_sn=" + e.Serial() + ",vendor_id=IPXE,product_id=" + product(e)
		if _, err := b.adm.run(ctx, "--mode", "logicalunit", "--op", "update", "--tid", tid, "--lun", imageLUN, "--params", params); err != nil {
			return false, err
		}
		changed = true
	}
	admitted, err := b.admit(ctx, tid, t.ACL, e)
	return changed || admitted, err
}

func (b *Backend) addLUN(ctx context.Context, tid string, e target.Export) error {
	args := []string{"--mode", "logicalunit", "--op", "new", "--tid", tid, "--lun", imageLUN, "--backing-store", e.Backing}
	if e.CD {
		args = append(args, "--device-type", "cd")
	}
	_, err := b.adm.run(ctx, args...)
	return err
}

// admit opens the target to who may log in. tgtd lets in whom any one rule
// admits, so a single initiator is kept only by taking ALL away. Other rules
// are an operator's and stay.
func (b *Backend) admit(ctx context.Context, tid string, acl []string, e target.Export) (changed bool, err error) {
	flag, who := "--initiator-address", everyone
	if !e.Initiator.IsZero() {
		flag, who = "--initiator-name", e.Initiator.String()
	}
	if !slices.Contains(acl, who) {
		_, err := b.adm.run(ctx, "--mode", "target", "--op", "bind", "--tid", tid, flag, who)
		if err != nil && !says(err, saysACLExists) {
			return false, err
		}
		changed = true
	}
	if !e.Initiator.IsZero() && slices.Contains(acl, everyone) {
		if _, err := b.adm.run(ctx, "--mode", "target", "--op", "unbind", "--tid", tid, "--initiator-address", everyone); err != nil {
			return false, err
		}
		changed = true
	}
	return changed, nil
}

// asAsked reports whether t is all that e asks for.
func asAsked(t target.Target, e target.Export) bool {
	l, ok := t.Image()
	who := everyone
	if !e.Initiator.IsZero() {
		who = e.Initiator.String()
	}
	closed := e.Initiator.IsZero() || !slices.Contains(t.ACL, everyone)
	return ok && sameFile(l.Backing, e.Backing) && l.Type == kind(e) && slices.Contains(t.ACL, who) && closed &&
		(l.Serial == e.Serial() || len(t.Sessions) > 0)
}

func kind(e target.Export) string {
	if e.CD {
		return target.TypeCD
	}
	return target.TypeDisk
}

func product(e target.Export) string {
	if e.CD {
		return "VIRTUAL-CDROM"
	}
	return "VIRTUAL-DISK"
}

// sameFile compares paths, then files: an image folder may be reached by two names.
func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
