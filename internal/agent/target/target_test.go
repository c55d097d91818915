package target_test

import (
	"testing"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
)

// An installed system knows its disk by this: it may never change.
func TestTheSerialOfAnIQNIsTheSameInEveryRelease(t *testing.T) {
	q, err := iscsi.ParseIQN("iqn.2026-07.com.controller:worker-01.ubuntu")
	if err != nil {
		t.Fatal(err)
	}
	e := target.Export{IQN: q, Backing: "/srv/images/a.img"}
	if got, want := e.Serial(), "9c5207d2cc8794d1300930851ae8aa41"; got != want {
		t.Errorf("serial %s, want %s", got, want)
	}
}

func TestInitiatorsAreNamedOnceInOrder(t *testing.T) {
	x := target.Target{Sessions: []target.Session{{Initiator: "b"}, {Initiator: "a"}, {Initiator: "b"}}}
	q, err := iscsi.ParseIQN("iqn.2026-07.com.controller:x")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fault.Sentence(target.InUse(q, x.Initiators())), "target iqn.2026-07.com.controller:x is in use by b, a"; got != want {
		t.Errorf("sentence %q, want %q", got, want)
	}
	if got, want := fault.Sentence(target.InUse(q, nil)), "target iqn.2026-07.com.controller:x is in use"; got != want {
		t.Errorf("sentence %q, want %q", got, want)
	}
}
