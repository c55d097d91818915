package export_test

import (
	"testing"

	"ipxe-all-ready/internal/agent/export"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
)

func TestADeletedTargetKeepsItsFileUnlessAsked(t *testing.T) {
	n := newNode(t)
	n.put(t, "a.img", "b.img")
	n.wantScan(t, "+a +b")
	if err := n.Delete(t.Context(), iqn(t, "a"), false, false); err != nil {
		t.Fatal(err)
	}
	if err := n.Delete(t.Context(), iqn(t, "b"), true, false); err != nil {
		t.Fatal(err)
	}
	n.wantStands(t, "")
	n.wantFiles(t, "a.img")
}

func TestWhatCannotBeDeletedIsRefusedAndStands(t *testing.T) {
	n := newNode(t)
	n.put(t, "a.img", "w.iso")
	n.wantScan(t, "+a +w.iso")
	if _, err := n.CreateCD(t.Context(), cd(t, "w.iso"), iqn(t, "pc.windows.iso")); err != nil {
		t.Fatal(err)
	}
	n.put(t, "u_tpl_1.img")
	n.addForeign(base+":by-hand", n.path("u_tpl_1.img"))
	logout, err := n.backend.Login(base+":a", base+":pc")
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := iscsi.ParseIQN("iqn.2001-01.org.example:disk")
	if err != nil {
		t.Fatal(err)
	}
	wantFault(t, n.Delete(t.Context(), iqn(t, "nope"), false, true), fault.NotFound, "iqn not found: "+base+":nope")
	wantFault(t, n.Delete(t.Context(), foreign, false, true), fault.Invalid,
		"iqn base mismatch: iqn.2001-01.org.example:disk does not start with "+base+":")
	wantFault(t, n.Delete(t.Context(), iqn(t, "a"), true, false), fault.InUse, "target "+base+":a is in use by "+base+":pc")
	wantFault(t, n.Delete(t.Context(), iqn(t, "w.iso"), true, false), fault.Conflict,
		"w.iso is served as "+base+":pc.windows.iso too and cannot be deleted")
	wantFault(t, n.Delete(t.Context(), iqn(t, "by-hand"), true, true), fault.Conflict,
		"u_tpl_1.img is a master: masters are never deleted")
	n.wantStands(t, "a=a.img by-hand=u_tpl_1.img pc.windows.iso=w.iso w.iso=w.iso")
	n.wantFiles(t, "a.img u_tpl_1.img w.iso")

	logout()
	if err := n.Delete(t.Context(), iqn(t, "a"), true, false); err != nil {
		t.Error(err)
	}
}

func TestForceDeletesUnderALiveSession(t *testing.T) {
	n := newNode(t)
	n.put(t, "a.img")
	n.wantScan(t, "+a")
	if _, err := n.backend.Login(base+":a", base+":pc"); err != nil {
		t.Fatal(err)
	}
	if err := n.Delete(t.Context(), iqn(t, "a"), true, true); err != nil {
		t.Fatal(err)
	}
	n.wantFiles(t, "")
}

func TestACDsOtherIQNDoesNotComeBackAndADisksDoes(t *testing.T) {
	n := newNode(t)
	n.put(t, "w.iso")
	if _, err := n.CreateCD(t.Context(), cd(t, "w.iso"), iqn(t, "pc.windows.iso")); err != nil {
		t.Fatal(err)
	}
	if _, err := n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "chosen"), Name: disk(t, "x.img"), Size: 1 << 20}, nil); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"pc.windows.iso", "chosen"} {
		if err := n.Delete(t.Context(), iqn(t, q), false, false); err != nil {
			t.Fatal(err)
		}
	}
	n.wantScan(t, "+w.iso +chosen")
}

func TestACDThatStandsWithThatISOIsSuccessAndWithAnotherIsRefused(t *testing.T) {
	n := newNode(t)
	n.put(t, "v.iso", "w.iso")
	for range 2 {
		if _, err := n.CreateCD(t.Context(), cd(t, "w.iso"), iscsi.IQN{}); err != nil {
			t.Fatal(err)
		}
	}
	_, err := n.CreateCD(t.Context(), cd(t, "v.iso"), iqn(t, "w.iso"))
	wantFault(t, err, fault.Exists, "iqn "+base+":w.iso already exists")
	_, err = n.CreateCD(t.Context(), cd(t, "u.iso"), iscsi.IQN{})
	wantFault(t, err, fault.NotFound, "iso u.iso not found in the image folder")
}
