package stgt

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
)

// Remove looks at the sessions itself and lets tgtd refuse too: an initiator
// may log in between the two.
func (b *Backend) Remove(ctx context.Context, iqn iscsi.IQN, force bool) error {
	t, ok, err := b.find(ctx, iqn)
	if err != nil || !ok {
		return err
	}
	if len(t.Sessions) > 0 && !force {
		return target.InUse(iqn, t.Initiators())
	}
	if err := b.remove(ctx, t, force); err != nil {
		if says(err, saysActive) {
			return b.active(ctx, iqn)
		}
		return fmt.Errorf("remove target %s: %w", iqn, err)
	}
	return b.gone(ctx, iqn)
}

// find looks twice before it says that a target is absent: its file may be
// deleted then.
func (b *Backend) find(ctx context.Context, iqn iscsi.IQN) (t target.Target, ok bool, err error) {
	for range 2 {
		shown, err := b.view(ctx)
		if err != nil {
			return t, false, fmt.Errorf("remove target %s: %w", iqn, err)
		}
		if t, ok = shown.byName[iqn.String()]; ok {
			break
		}
	}
	return t, ok, nil
}

func (b *Backend) remove(ctx context.Context, t target.Target, force bool) error {
	tid := strconv.Itoa(t.TID)
	args := []string{"--mode", "target", "--op", "delete", "--tid", tid}
	if force {
		if err := b.shut(ctx, tid, t.ACL); err != nil {
			return err
		}
		if err := b.disconnect(ctx, tid); err != nil {
			return err
		}
		args = append(args, "--force")
	}
	if _, err := b.adm.run(ctx, args...); err != nil && !says(err, saysNoTarget) {
		return err
	}
	return nil
}

// shut takes the rules away, or a closed initiator would be back at once.
func (b *Backend) shut(ctx context.Context, tid string, acl []string) error {
	for _, who := range acl {
		flag := "--initiator-address"
		if strings.HasPrefix(who, "iqn.") || strings.HasPrefix(who, "eui.") || strings.HasPrefix(who, "naa.") {
			flag = "--initiator-name"
		}
		if _, err := b.adm.run(ctx, "--mode", "target", "--op", "unbind", "--tid", tid, flag, who); err != nil {
			return err
		}
	}
	return nil
}

// disconnect closes every connection of the target.
//
//	Session: 8
//	    Connection: 0
//	        Initiator: iqn.2026-07.com.controller:a
//	        IP Address: 127.0.0.1
func (b *Backend) disconnect(ctx context.Context, tid string) error {
	out, err := b.adm.run(ctx, "--mode", "conn", "--op", "show", "--tid", tid)
	if err != nil {
		return err
	}
	sid := ""
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "Session":
			sid = value
		case "Connection":
			// One that ends by itself meanwhile is no matter: delete follows.
			_, err := b.adm.run(ctx, "--mode", "conn", "--op", "delete", "--tid", tid, "--sid", sid, "--cid", value)
			if err != nil && fault.Is(err, fault.Unavailable) {
				return err
			}
		}
	}
	return nil
}

func (b *Backend) active(ctx context.Context, iqn iscsi.IQN) error {
	shown, err := b.view(ctx)
	if err != nil {
		return fmt.Errorf("remove target %s: %w", iqn, err)
	}
	return target.InUse(iqn, shown.byName[iqn.String()].Initiators())
}

// gone verifies what tgtd said.
func (b *Backend) gone(ctx context.Context, iqn iscsi.IQN) error {
	shown, err := b.view(ctx)
	if err != nil {
		return fmt.Errorf("remove target %s: %w", iqn, err)
	}
	if _, ok := shown.byName[iqn.String()]; ok {
		return fmt.Errorf("remove target %s: %w", iqn, fault.New(fault.Internal, "tgtd accepted the removal of %s and still shows it", iqn))
	}
	return nil
}
