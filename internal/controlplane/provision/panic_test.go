package provision

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
)

func TestAPanicWhileADiskIsMadeFailsThatItemAlone(t *testing.T) {
	h := newShaky(t, 3)
	h.create = panicAt("pc-2")
	if got := outcomes(h.makeDisks(t, 3), diskErr); got != "ok, internal error, ok" {
		t.Errorf("%s", got)
	}
	h.free(t, 3)
	if _, err := h.CreateDisk(newDisk(t, 2)); fault.Sentence(err) != "internal error" || fault.KindOf(err) != fault.Internal {
		t.Errorf("alone: %v", err)
	}
	h.create = func(string) {}
	if _, err := h.CreateDisk(newDisk(t, 2)); err != nil {
		t.Errorf("again: %v", err)
	}
}

func TestAPanicWhileADiskIsTakenBackFailsThatItemAndTheDiskIsClearedLater(t *testing.T) {
	h := newShaky(t, 2)
	h.create = func(iqn string) { // its worker goes while the disk is made
		if !strings.Contains(iqn, "pc-1") {
			return
		}
		_, err := h.o.Ledger.Commit(context.Background(), func(tx *ledger.Tx) error { tx.DeleteWorker(workerID(t, 1)); return nil })
		if err != nil {
			t.Error(err)
		}
	}
	h.remove = panicAt("pc-1")
	if got := outcomes(h.makeDisks(t, 2), diskErr); got != "internal error, ok" {
		t.Errorf("%s", got)
	}
	h.free(t, 2)
	if h.clearAll(context.Background()) {
		t.Error("a panic while it is cleared is no clearing")
	}
	h.remove = func(string) {}
	if !h.clearAll(context.Background()) || len(h.node.Targets()) != 1 {
		t.Errorf("left %v", h.node.Targets())
	}
}

func TestAPanicInADeletionBatchFailsThatItemAlone(t *testing.T) {
	h := newShaky(t, 3)
	h.makeDisks(t, 3)
	remove := func() string {
		var asked []*WorkerItem
		for i := range 3 {
			id := workerID(t, i+1)
			asked = append(asked, &WorkerItem{Asked: id.String(), Worker: id})
		}
		j, err := h.DeleteWorkers(asked, Removal{DeleteFile: true})
		if err != nil {
			t.Fatal(err)
		}
		items, _ := j.Wait()
		h.free(t, 3)
		return outcomes(items, workerErr)
	}
	h.remove = panicAt("pc-2")
	if got := remove(); got != "ok, internal error, ok" {
		t.Errorf("%s", got)
	}
	// The next one's panic comes after the nodes' work, when the ledger refuses.
	h.remove = func(string) { h.file(t, "workers.yml", "workers: [\n") }
	h.logged = func(r slog.Record) { mustNotHold(r.Message, "the ledger still names") }
	if got := remove(); got != "worker pc-1 not found, internal error, worker pc-3 not found" {
		t.Errorf("%s", got)
	}
}

func TestAPanicWhileNodesAreAskedIsThatNodesFault(t *testing.T) {
	h := newShaky(t, 2)
	h.makeDisks(t, 1)
	ctx := context.Background()
	for _, what := range []string{"capabilities", "targets", "masters"} {
		h.asked = panicAt(what)
		agents := h.Agents(ctx, true)
		_, picking := h.CreateDisk(NewDisk{Worker: workerID(t, 2), OS: newDisk(t, 2).OS, Size: "1G"})
		status, err := h.Status(ctx, workerID(t, 1))
		if err != nil {
			t.Fatal(err)
		}
		_, masters := h.Masters(ctx)
		found := h.Reconcile(ctx)
		h.askBackends(ctx)
		got := []bool{agents[0].Error == "internal error", picking != nil && strings.Contains(fault.Sentence(picking), "internal error"),
			status.Disks[0].Err != nil, masters != nil, len(found) > 0 && found[0].Detail == "internal error"}
		want := map[string][]bool{
			"capabilities": {true, true, false, false, true},
			"targets":      {false, false, true, false, true},
			"masters":      {false, false, false, true, false},
		}[what]
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v; %+v", what, got, want, found)
		}
	}
}
