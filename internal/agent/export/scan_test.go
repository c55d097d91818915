package export_test

import (
	"fmt"
	"os"
	"testing"

	"ipxe-all-ready/internal/agent/export"
	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/fault"
)

func TestEveryImageWithoutATargetGetsOneAndMastersNone(t *testing.T) {
	n := newNode(t)
	n.put(t, "worker-01.ubuntu.img", "Win11_24H2.iso", "ubuntu_tpl_v1.img", "notes.txt")
	n.wantScan(t, "+win11-24h2.iso +worker-01.ubuntu -ubuntu_tpl_v1.img")
	n.wantStands(t, "win11-24h2.iso=Win11_24H2.iso worker-01.ubuntu=worker-01.ubuntu.img")
	n.wantScan(t, "-win11-24h2.iso -worker-01.ubuntu -ubuntu_tpl_v1.img")
}

func TestTwoFilesThatComeToOneIQNAreNotMixedUp(t *testing.T) {
	n := newNode(t)
	n.put(t, "PC_1.img", "pc-1.img")
	done := n.wantScan(t, "+pc-1 !pc-1.img")
	want := "PC_1.img and pc-1.img both come to iqn " + base + ":pc-1, which is the first one's"
	if done.Failed[0].Error != want {
		t.Errorf("failed with %q, want %q", done.Failed[0].Error, want)
	}
	n.wantStands(t, "pc-1=PC_1.img")
}

func TestTheOneThatStandsKeepsItsIQNWhateverTheOrderOfNames(t *testing.T) {
	n := newNode(t)
	n.put(t, "pc-1.img")
	n.wantScan(t, "+pc-1")
	n.put(t, "PC_1.img") // comes before it in the listing
	n.wantScan(t, "-pc-1 !PC_1.img")
	n.wantStands(t, "pc-1=pc-1.img")
}

func TestAnIQNOfTheCallersChoiceSurvivesARebuild(t *testing.T) {
	n := newNode(t)
	n.put(t, "w.iso")
	if _, err := n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "chosen"), Name: disk(t, "x.img"), Size: 1 << 20}, nil); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"pc.windows.iso", "w.iso"} {
		if _, err := n.CreateCD(t.Context(), cd(t, "w.iso"), iqn(t, q)); err != nil {
			t.Fatal(err)
		}
	}
	n.backend.Crash()
	n.store.Close()
	next := newNodeOn(t, n.dir, n.backend, false)
	next.wantScan(t, "+pc.windows.iso +w.iso +chosen")
	next.wantStands(t, "chosen=x.img pc.windows.iso=w.iso w.iso=w.iso")
}

func TestADiskThatIsServedUnderAnotherNameGetsNoSecondTarget(t *testing.T) {
	n := newNode(t)
	n.put(t, "x.img")
	n.addForeign("iqn.2001-01.org.example:by-hand", n.path("x.img"))
	n.wantScan(t, "-iqn.2001-01.org.example:by-hand")
	_, err := n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "x"), Existing: true}, nil)
	wantFault(t, err, fault.Exists, "file x.img is already served as iqn.2001-01.org.example:by-hand")
}

func TestForeignTargetsAreListedAndLeftAlone(t *testing.T) {
	n := newNode(t)
	n.put(t, "a.img")
	other := t.TempDir() + "/other.img"
	if err := os.WriteFile(other, make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	n.addForeign(base+":a", other)
	n.addForeign("iqn.2001-01.org.example:disk", other)
	done := n.wantScan(t, "!a.img")
	if want := "target " + base + ":a already stands and serves " + other + ", not " + n.path("a.img"); done.Failed[0].Error != want {
		t.Errorf("failed with %q, want %q", done.Failed[0].Error, want)
	}
	targets, err := n.Targets(t.Context())
	if err != nil || len(targets) != 2 {
		t.Errorf("Targets = %v, %v", targets, err)
	}
	wantFault(t, n.Delete(t.Context(), iqn(t, "a"), true, true), fault.Conflict,
		"target "+base+":a serves "+other+", which is not in the image folder: it is not this agent's")
}

func TestWhatCannotBeExportedIsAFailedRowAndNotSkipped(t *testing.T) {
	n := newNode(t)
	n.put(t, "odd name.img", "a.img")
	n.putSized(t, "empty.img", 0)
	n.putSized(t, "short.iso", 2047)
	n.putSized(t, "uneven.img", 1<<20+1)
	done := n.wantScan(t, "+a !empty.img !odd name.img !short.iso !uneven.img")
	for i, want := range map[int]string{
		0: "empty.img holds 0 bytes, a disk has at least 1048576",
		2: "short.iso holds 2047 bytes, less than one sector of 2048",
		3: "uneven.img holds 1048577 bytes, which is no multiple of a sector's 512",
	} {
		if done.Failed[i].Error != want {
			t.Errorf("failed with %q, want %q", done.Failed[i].Error, want)
		}
	}
}

func TestATargetWhoseFileIsGoneIsReportedAndStands(t *testing.T) {
	n := newNode(t)
	n.put(t, "a.img")
	n.wantScan(t, "+a")
	if err := os.Remove(n.path("a.img")); err != nil {
		t.Fatal(err)
	}
	done := n.wantScan(t, "!a")
	if want := "target " + base + ":a serves a.img, which is gone from the image folder"; done.Failed[0].Error != want {
		t.Errorf("failed with %q, want %q", done.Failed[0].Error, want)
	}
	n.wantStands(t, "a=a.img")
}

func TestARefusalOfOneImageDoesNotStopTheOthers(t *testing.T) {
	n := newNode(t)
	n.put(t, "a.img", "b.img", "c.img")
	n.backend.Refuse(base+":b", fault.New(fault.Internal, "tgtadm: invalid request"))
	done := n.wantScan(t, "+a +c !b.img")
	if done.Failed[0].Error != "tgtadm: invalid request" {
		t.Errorf("failed with %q", done.Failed[0].Error)
	}
}

func TestBrokenNotesAreAFailedRowAndTheRestIsExported(t *testing.T) {
	n := newNode(t)
	n.put(t, "a.img")
	if err := os.WriteFile(n.path(".ipxe-agent.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	n.wantScan(t, "+a !notes")
}

func TestAScanOfAServerThatIsDownIsUnavailable(t *testing.T) {
	n := newNode(t)
	n.put(t, "a.img")
	n.backend.Fail(fault.New(fault.Unavailable, "tgtd is not running on control port 0"))
	_, err := n.Scan(t.Context())
	wantFault(t, err, fault.Unavailable, "tgtd is not running on control port 0")
}

func TestAServerWithoutCDsSkipsThem(t *testing.T) {
	n := newNodeOn(t, t.TempDir(), fake.NewWith(target.Traits{Name: "lio", Persistent: true}), false)
	n.put(t, "a.img", "w.iso")
	n.wantScan(t, "+a -w.iso")
	_, err := n.CreateCD(t.Context(), cd(t, "w.iso"), iqn(t, "x"))
	wantFault(t, err, fault.Unsupported, "lio backend does not support cd")
}

func TestAThousandImagesAreExportedInOneScan(t *testing.T) {
	n := newNode(t)
	for i := range 1000 {
		n.put(t, fmt.Sprintf("worker-%04d.debian.img", i))
	}
	done, err := n.Scan(t.Context())
	if err != nil || len(done.Created) != 1000 || len(done.Failed) != 0 {
		t.Errorf("%d created, %d failed, %v", len(done.Created), len(done.Failed), err)
	}
}
