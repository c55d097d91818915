package provision

import (
	"context"

	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// MACChange is what PUT …/mac did.
type MACChange struct {
	Worker  *ledger.Worker
	Changed bool
	Receipt ledger.Receipt
}

// SetMAC binds a worker's host name to another card. The same MAC changes and
// writes nothing but the trail.
func (s *Service) SetMAC(ctx context.Context, id netboot.WorkerID, mac netboot.MAC, client string) (MACChange, error) {
	snap := s.snapshot()
	w, err := findWorker(snap, id)
	if err != nil {
		return MACChange{}, err
	}
	old, _ := snap.MACOf(w.Hostname)
	if err := rebindable(snap, w, mac); err != nil {
		return MACChange{}, err
	}
	if old == mac {
		s.once(ctx, audit.OpMACUpdate, macFields(id, old, mac, false, client))
		return MACChange{Worker: w}, nil
	}
	op, err := s.begin(ctx, audit.OpMACUpdate, macFields(id, old, mac, true, client))
	if err != nil {
		return MACChange{}, err
	}
	receipt, err := s.o.Ledger.Commit(detached(ctx), func(tx *ledger.Tx) error {
		w, err = findWorker(tx, id)
		if err != nil {
			return err
		}
		if err := rebindable(tx, w, mac); err != nil {
			return err
		}
		tx.Bind(mac, w.Hostname)
		return nil
	})
	if err := op.end(ctx, err, nil); err != nil {
		return MACChange{}, err
	}
	return MACChange{Worker: w, Changed: true, Receipt: receipt}, nil
}

func rebindable(n names, w *ledger.Worker, mac netboot.MAC) error {
	if h, ok := n.Binding(mac); ok && h != w.Hostname {
		return fault.New(fault.Exists, "mac %s is bound to %s", mac, h)
	}
	return nil
}

func macFields(id netboot.WorkerID, old, mac netboot.MAC, changed bool, client string) audit.Fields {
	extra := map[string]any{"old_mac": nil, "new_mac": mac.String(), "changed": changed}
	if !old.IsZero() {
		extra["old_mac"] = old.String()
	}
	return audit.Fields{WorkerID: id.String(), Client: client, Extra: extra}
}
