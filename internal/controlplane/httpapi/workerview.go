package httpapi

import (
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/ledger"
)

// workerView is w as callers see it, with the MAC its host name is bound to.
func workerView(snap *ledger.Snapshot, w *ledger.Worker) api.Worker {
	out := api.Worker{
		WorkerID: w.ID.String(), Hostname: w.Hostname.String(), Arch: w.Arch, State: string(w.State),
		Disks: make([]api.Disk, 0, len(w.Disks)), DefaultOS: w.DefaultOS.String(), Error: w.Error,
		CreatedAt: whenSet(w.CreatedAt),
	}
	if t, ok := snap.LastBoot(w.ID); ok {
		out.LastBootAt = &t
	}
	if w.Broken != "" {
		out.State, out.Error = string(ledger.Failed), w.Broken
	}
	if mac, ok := snap.MACOf(w.Hostname); ok {
		text := mac.String()
		out.MAC = &text
	}
	for _, d := range w.Disks {
		out.Disks = append(out.Disks, api.Disk{
			Agent: d.Agent.String(), IQN: d.IQN.String(), Filename: d.Filename.String(), Backing: d.Backing,
			OS: d.OS.String(), Source: api.Source{Type: d.Source.Type, Name: d.Source.Name, Size: d.Source.Size},
		})
	}
	if cd := w.CD; cd != nil {
		out.CD = &api.CD{Agent: cd.Agent.String(), IQN: cd.IQN.String(), ISO: cd.ISO.String(), Backing: cd.Backing}
	}
	if b := w.Boot; !b.MenuDefault.IsZero() || b.MenuTimeout != nil {
		out.Boot = &api.Boot{MenuDefault: b.MenuDefault.String(), MenuTimeout: b.MenuTimeout}
	}
	return out
}

func whenSet(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
