package tui_test

import (
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/tui"
	"ipxe-all-ready/tui/i18n"
	"ipxe-all-ready/tui/tuitest"
)

func TestALongNoticeIsShownFromItsBeginning(t *testing.T) {
	d := list(t)
	d.Press("b", "enter", "enter", "enter", "r")
	for _, w := range [][2]int{{80, 24}, {60, 15}, {80, 24}} {
		d.Resize(w[0], w[1])
		has(t, d, "! deal round-robin is off: switch two or more nodes", "space)")
		hasNot(t, d, "! space)")
	}
}

func TestTheWholeSentenceOfAFailedItemCanBeRead(t *testing.T) {
	d := console(t, i18n.English, false)
	d.Press("5")
	d.Settle()
	d.Press("down", "enter")
	d.Until("worker-04")
	d.Press("end", "enter")
	has(t, d, "! failed", "Node: node-2", "needs 40 GiB and 12 GiB are free")
	d.Press("esc")
	has(t, d, "Task: create disks")
}

func TestUnmarkIsNamedOnceSomethingIsMarked(t *testing.T) {
	d := list(t)
	hasNot(t, d, "unmark")
	d.Press("space")
	has(t, d, "u unmark all")
}

func TestHowManyMarksTheFilterHidesIsNeverCut(t *testing.T) {
	d := list(t)
	d.Press("a", "/", "host:worker-0 state:registered", "enter")
	d.Resize(60, 15)
	has(t, d, "40 marked (35 hidden)")
}

func TestLongNamesKeepTheEndThatTellsThemApart(t *testing.T) {
	table := answers()
	far := nodes()
	far[0].ID, far[1].ID = "node-127-0-0-1-rack-17-row-4-31842", "node-127-0-0-1-rack-17-row-4-31843"
	ws := fleet(5)
	ws[2].Disks[0].Agent = far[1].ID
	table["/agents"], table["/workers"] = far, ws
	table["/tasks"] = []api.Task{task(), running()}
	d := tuitest.Start(t, options(serve(t, table).URL, i18n.English, false), tuitest.NewClock(noon), 80, 24)
	d.Settle()
	d.Send(tui.StreamMsg{State: true})
	d.Settle()
	has(t, d, "worker.disk.create", "31842", "31843")
	hasNot(t, d, "worker.disk…")
	d.Press("2")
	has(t, d, "843")
	d.Press("b", "enter", "enter", "enter")
	has(t, d, "31842  gets 0", "31843  gets 0")
	d.Press("5")
	d.Settle()
	for _, w := range [][2]int{{80, 24}, {60, 15}} {
		d.Resize(w[0], w[1])
		has(t, d, "3/3", "35%")
	}
}

func TestTheScreensKeepTheirNamesWhereTheyFit(t *testing.T) {
	d := list(t)
	d.Press("enter")
	d.Until("Worker worker-01")
	has(t, d, "1 [2 Workers > Worker worker-01] 3")
	d.Resize(120, 40)
	has(t, d, "1 Overview [2 Workers > Worker worker-01] 3 Storage nodes")
	if strings.Contains(d.Frame(), "Reconcile…") {
		t.Error("a name is cut")
	}
}
