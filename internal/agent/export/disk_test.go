package export_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"ipxe-all-ready/internal/agent/export"
	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/fault"
)

func TestADiskIsMadeOfAMasterOrBlankAndServed(t *testing.T) {
	n := newNode(t)
	n.put(t, "u_tpl_1.img")
	c, err := n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "pc.ubuntu"), Master: disk(t, "u_tpl_1.img")}, nil)
	if err != nil || c.Backing != n.path("pc.ubuntu.img") || c.Clone.Bytes != 1<<20 {
		t.Fatalf("CreateDisk = %+v, %v", c, err)
	}
	c, err = n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "pc.debian"), Size: 1 << 20}, nil)
	if err != nil || c.Clone.Way != "" {
		t.Fatalf("CreateDisk = %+v, %v", c, err)
	}
	n.wantStands(t, "pc.debian=pc.debian.img pc.ubuntu=pc.ubuntu.img")
	n.wantFiles(t, "pc.debian.img pc.ubuntu.img u_tpl_1.img")
}

func TestWhatIsTakenIsRefused(t *testing.T) {
	n := newNode(t)
	n.put(t, "u_tpl_1.img", "kept.img")
	if _, err := n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "a"), Size: 1 << 20}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "chosen"), Name: disk(t, "b.img"), Size: 1 << 20}, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		disk     export.Disk
		kind     fault.Kind
		sentence string
	}{
		{export.Disk{IQN: iqn(t, "a"), Size: 1 << 20}, fault.Exists, "iqn " + base + ":a already exists"},
		{export.Disk{IQN: iqn(t, "a"), Name: disk(t, "kept.img"), Existing: true}, fault.Exists, "iqn " + base + ":a already exists"},
		{export.Disk{IQN: iqn(t, "kept"), Size: 1 << 20}, fault.Exists, "file kept.img already exists"},
		{export.Disk{IQN: iqn(t, "kept"), Master: disk(t, "u_tpl_1.img")}, fault.Exists, "file kept.img already exists"},
		{export.Disk{IQN: iqn(t, "b"), Existing: true}, fault.Exists, "file b.img is already served as " + base + ":chosen"},
		{export.Disk{IQN: iqn(t, "c"), Existing: true}, fault.NotFound, "file c.img not found in the image folder"},
		{export.Disk{IQN: iqn(t, "c"), Master: disk(t, "gone_tpl_1.img")}, fault.NotFound, "master gone_tpl_1.img not found in the image folder"},
		{export.Disk{IQN: iqn(t, "c"), Name: disk(t, "u_tpl_1.img"), Existing: true}, fault.Invalid,
			"u_tpl_1.img is a master by its name: masters are never exported writable, overwritten or made here"},
	} {
		_, err := n.CreateDisk(t.Context(), c.disk, nil)
		wantFault(t, err, c.kind, c.sentence)
	}
	n.wantStands(t, "a=a.img chosen=b.img")
	n.wantFiles(t, "a.img b.img kept.img u_tpl_1.img")
}

func TestAnIQNThatWasGivenToAFileIsNotGivenToAnother(t *testing.T) {
	n := newNode(t)
	if _, err := n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "chosen"), Name: disk(t, "b.img"), Size: 1 << 20}, nil); err != nil {
		t.Fatal(err)
	}
	n.backend.Crash() // nothing stands, the note does
	_, err := n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "chosen"), Size: 1 << 20}, nil)
	wantFault(t, err, fault.Exists, "iqn "+base+":chosen belongs to b.img")
}

func TestAnExistingDiskIsServedAndTwiceIsOnce(t *testing.T) {
	n := newNode(t)
	n.put(t, "kept.img")
	for range 2 {
		if _, err := n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "kept"), Existing: true}, nil); err != nil {
			t.Fatal(err)
		}
	}
	n.wantStands(t, "kept=kept.img")
}

func TestARefusalByTheServerLeavesNeitherFileNorTargetNorNote(t *testing.T) {
	n := newNode(t)
	n.put(t, "u_tpl_1.img")
	n.backend.Refuse(base+":a", fault.New(fault.Internal, "tgtadm: invalid request"))
	for _, d := range []export.Disk{
		{IQN: iqn(t, "a"), Size: 1 << 20},
		{IQN: iqn(t, "a"), Name: disk(t, "b.img"), Master: disk(t, "u_tpl_1.img")},
	} {
		_, err := n.CreateDisk(t.Context(), d, nil)
		wantFault(t, err, fault.Internal, "tgtadm: invalid request")
	}
	n.wantStands(t, "")
	n.wantFiles(t, "u_tpl_1.img")
	if notes, _, err := n.store.Notes(); err != nil || len(notes) != 0 {
		t.Errorf("notes %v, %v", notes, err)
	}
}

func TestAServerThatIsDownIsFoundBeforeAnyFileIsMade(t *testing.T) {
	n := newNode(t)
	n.backend.Fail(fault.New(fault.Unavailable, "tgtd is not running on control port 0"))
	_, err := n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "a"), Size: 1 << 20}, nil)
	wantFault(t, err, fault.Unavailable, "tgtd is not running on control port 0")
	n.wantFiles(t, "")
}

func TestACallerWhoHangsUpInMidCloneLeavesNothing(t *testing.T) {
	n := newNode(t)
	n.put(t, "u_tpl_1.img")
	ctx, hangUp := context.WithCancel(t.Context())
	_, err := n.CreateDisk(ctx, export.Disk{IQN: iqn(t, "a"), Name: disk(t, "b.img"), Master: disk(t, "u_tpl_1.img")},
		func(store.Step) { hangUp() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("CreateDisk = %v", err)
	}
	n.wantStands(t, "")
	n.wantFiles(t, "u_tpl_1.img")
}

func TestOfManyWhoWantOneDiskOneGetsIt(t *testing.T) {
	n := newNode(t)
	n.put(t, "u_tpl_1.img")
	var group sync.WaitGroup
	results := make([]error, 10)
	for i := range results {
		group.Go(func() {
			d := export.Disk{IQN: iqn(t, "a"), Master: disk(t, "u_tpl_1.img")}
			if i%2 == 0 {
				d = export.Disk{IQN: iqn(t, "b"), Name: disk(t, "a.img"), Size: 1 << 20} // the same file
			}
			_, results[i] = n.CreateDisk(t.Context(), d, nil)
		})
	}
	group.Wait()
	won := 0
	for _, err := range results {
		if err == nil {
			won++
		} else if !fault.Is(err, fault.Exists) {
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d won", won)
	}
	n.wantFiles(t, "a.img u_tpl_1.img")
}

func TestADiskInTheMakingDoesNotHoldUpOthersOrAScan(t *testing.T) {
	n := newNode(t)
	n.put(t, "u_tpl_1.img", "z.img")
	var meanwhile sync.Once
	_, err := n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "a"), Master: disk(t, "u_tpl_1.img")}, func(store.Step) {
		meanwhile.Do(func() {
			if _, err := n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "b"), Size: 1 << 20}, nil); err != nil {
				t.Error(err)
			}
			n.wantScan(t, "+z -b -u_tpl_1.img")
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	n.wantStands(t, "a=a.img b=b.img z=z.img")
}

func TestWhoWaitsForADiskInTheMakingMayGiveUp(t *testing.T) {
	n := newNode(t)
	n.put(t, "u_tpl_1.img")
	same := export.Disk{IQN: iqn(t, "a"), Master: disk(t, "u_tpl_1.img")}
	_, err := n.CreateDisk(t.Context(), same, func(store.Step) {
		gone, giveUp := context.WithCancel(t.Context())
		giveUp()
		if _, err := n.CreateDisk(gone, same, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("the second CreateDisk = %v", err)
		}
		if err := n.Delete(gone, iqn(t, "a"), true, true); err == nil {
			t.Error("a disk in the making was deleted")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = n.CreateDisk(t.Context(), same, nil)
	wantFault(t, err, fault.Exists, "iqn "+base+":a already exists")
}

func TestANoteWithoutItsFileStandsInNobodysWay(t *testing.T) {
	n := newNode(t)
	if err := n.store.Note(iqn(t, "chosen"), disk(t, "gone.img")); err != nil { // a crash before the file was made
		t.Fatal(err)
	}
	n.wantScan(t, "")
	if _, err := n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "chosen"), Size: 1 << 20}, nil); err != nil {
		t.Fatal(err)
	}
	n.wantStands(t, "chosen=chosen.img")
}

func TestWithOwnInitiatorsAMachineGetsInOnlyToItsOwn(t *testing.T) {
	n := newNodeOn(t, t.TempDir(), fake.New(), true)
	n.put(t, "pc-1.ubuntu.img", "shared.img", "w.iso")
	n.wantScan(t, "+pc-1.ubuntu +shared +w.iso")
	if _, err := n.CreateCD(t.Context(), cd(t, "w.iso"), iqn(t, "pc-1.windows.iso")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		target, initiator string
		in                bool
	}{
		{"pc-1.ubuntu", "pc-1", true}, {"pc-1.ubuntu", "pc-2", false},
		{"pc-1.windows.iso", "pc-1", true}, {"pc-1.windows.iso", "pc-2", false},
		{"shared", "pc-2", true}, {"w.iso", "pc-2", true},
	} {
		if _, err := n.backend.Login(base+":"+c.target, base+":"+c.initiator); (err == nil) != c.in {
			t.Errorf("%s at %s: %v, want in %v", c.initiator, c.target, err, c.in)
		}
	}
}
