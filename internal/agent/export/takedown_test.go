package export_test

import (
	"context"
	"strings"
	"testing"

	"ipxe-all-ready/internal/agent/export"
	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
)

// halfway makes every target and says that it failed; it may also be unable to
// take one down.
type halfway struct {
	*fake.Backend
	stuck error
}

func (h *halfway) Ensure(ctx context.Context, exports []target.Export) []target.Result {
	results := h.Backend.Ensure(ctx, exports)
	for i := range results {
		results[i].Err = fault.New(fault.Internal, "tgtadm: bind refused")
	}
	return results
}

func (h *halfway) Remove(ctx context.Context, q iscsi.IQN, force bool) error {
	if h.stuck != nil {
		return h.stuck
	}
	return h.Backend.Remove(ctx, q, force)
}

func TestAFileWhoseTargetCannotBeTakenDownStays(t *testing.T) {
	h := &halfway{Backend: fake.New(), stuck: fault.New(fault.InUse, "target is in use by a machine")}
	n := newNodeOn(t, t.TempDir(), h.Backend, false)
	n.Service = export.New(export.Options{Base: baseOf(t), Store: n.store, Backend: h})
	_, err := n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "chosen"), Name: disk(t, "a.img"), Size: 1 << 20}, nil)
	wantFault(t, err, fault.Internal, "tgtadm: bind refused")
	if !strings.Contains(err.Error(), "in use by a machine") {
		t.Errorf("the log hears nothing of it: %v", err)
	}
	n.wantStands(t, "chosen=a.img")
	n.wantFiles(t, "a.img")
	if notes, _, err := n.store.Notes(); err != nil || len(notes) != 1 || notes[0] != (store.Note{IQN: iqn(t, "chosen"), Name: disk(t, "a.img")}) {
		t.Errorf("notes %v, %v", notes, err)
	}

	h.stuck = nil
	_, err = n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "b"), Size: 1 << 20}, nil)
	wantFault(t, err, fault.Internal, "tgtadm: bind refused")
	n.wantStands(t, "chosen=a.img")
	n.wantFiles(t, "a.img")
}
