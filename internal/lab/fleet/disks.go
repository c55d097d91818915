package fleet

import (
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"ipxe-all-ready/internal/api"
)

// madeDisk is one that the operator was told of.
type madeDisk struct{ worker, os string }

// standing is how many disks the operator leaves, so that the ledger does not
// grow for ever.
const standing = 60

// work makes a batch of disks and deletes the oldest, now and then, until ctx ends.
func (o *operator) work(ctx context.Context) {
	for pause(ctx, around(3*time.Second)) {
		o.makeDisks(ctx)
		for range len(o.made) - standing {
			if ctx.Err() != nil {
				return
			}
			o.deleteOldest(ctx)
		}
	}
}

func (o *operator) makeDisks(ctx context.Context) {
	in := api.CreateDisks{Type: "empty", OS: []string{"debian", "centos"}[rand.IntN(2)], Size: "10G"}
	names := slices.Collect(maps.Values(o.names()))
	for range min(20, len(names)) {
		in.Targets = append(in.Targets, api.BatchTarget{
			WorkerID: names[rand.IntN(len(names))], Agent: o.nodes[rand.IntN(len(o.nodes))].ID,
		})
	}
	if len(in.Targets) == 0 {
		return
	}
	_, body, err := o.call(ctx, "POST", "/workers/luns/disk/batch", in, "")
	var out api.DisksCreated
	if err != nil || json.Unmarshal(body, &out) != nil {
		return
	}
	for _, d := range out.Succeeded {
		o.tally.Note("disks made")
		o.made = append(o.made, madeDisk{d.WorkerID, in.OS})
	}
	for range out.Failed {
		o.tally.Note("disks that failed at a node or for a broken ledger")
	}
}

// deleteOldest tries one. What a node's trouble keeps is tried again later.
func (o *operator) deleteOldest(ctx context.Context) {
	d := o.made[0]
	o.made = o.made[1:]
	resp, _, err := o.call(ctx, "DELETE", "/workers/"+d.worker+"/luns/disk/"+d.os+"?delete_file=true", nil, "")
	switch {
	case err != nil: // the run has ended, and nobody knows
	case resp.StatusCode < 300:
		o.tally.Note("disks deleted")
	case resp.StatusCode >= 500:
		o.made = append(o.made, d)
	}
}
