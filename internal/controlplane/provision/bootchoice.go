package provision

import (
	"context"
	"strings"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// BootChoice is what a person sets for a worker's boot. A field that is not
// Set stays as it is; a zero value clears.
type BootChoice struct {
	OS          api.Optional[netboot.OS]
	MenuDefault api.Optional[netboot.MenuItem]
	MenuTimeout api.Optional[*int] // ms; nil clears
	Client      string
}

// SetBoot applies all of it or nothing.
func (s *Service) SetBoot(ctx context.Context, id netboot.WorkerID, b BootChoice) (*ledger.Worker, error) {
	w, err := findWorker(s.snapshot(), id)
	if err != nil {
		return nil, err
	}
	if _, err := chosen(w, b); err != nil {
		return nil, err
	}
	op, err := s.begin(ctx, audit.OpBootSet, audit.Fields{WorkerID: id.String(), Client: b.Client, Extra: b.extra()})
	if err != nil {
		return nil, err
	}
	_, err = s.o.Ledger.Commit(detached(ctx), func(tx *ledger.Tx) error {
		now, err := findWorker(tx, id)
		if err != nil {
			return err
		}
		w, err = chosen(now, b)
		if err != nil {
			return err
		}
		tx.PutWorker(w)
		return nil
	})
	if err := op.end(ctx, err, nil); err != nil {
		return nil, err
	}
	return w, nil
}

// chosen is a copy of w with b applied.
func chosen(w *ledger.Worker, b BootChoice) (*ledger.Worker, error) {
	c := w.Clone()
	if b.OS.Set {
		if os := b.OS.Value; !os.IsZero() {
			if err := attached(w, os); err != nil {
				return nil, err
			}
		}
		c.DefaultOS = b.OS.Value
	}
	if b.MenuDefault.Set {
		c.Boot.MenuDefault = b.MenuDefault.Value
	}
	if b.MenuTimeout.Set {
		c.Boot.MenuTimeout = b.MenuTimeout.Value
	}
	return c, nil
}

func attached(w *ledger.Worker, os netboot.OS) error {
	if len(w.Disks) == 0 {
		return fault.New(fault.Conflict, "worker %s has no disk to boot %s from", w.ID, os)
	}
	if _, ok := w.Disk(os); ok {
		return nil
	}
	var have []string
	for _, d := range w.Disks {
		have = append(have, d.OS.String())
	}
	return fault.New(fault.Invalid, "worker %s has no disk for %s; attached: %s", w.ID, os, strings.Join(have, ", "))
}

// extra is what the audit keeps of a choice: the fields given, "" for cleared.
func (b BootChoice) extra() map[string]any {
	m := make(map[string]any)
	if b.OS.Set {
		m["os"] = b.OS.Value.String()
	}
	if b.MenuDefault.Set {
		m["menu_default"] = b.MenuDefault.Value.String()
	}
	if b.MenuTimeout.Set {
		m["menu_timeout"] = b.MenuTimeout.Value
	}
	return m
}
