package export_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ipxe-all-ready/internal/agent/export"
	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/fault"
)

// replace puts another file of size bytes over name, as mv does.
func (n *node) replace(t *testing.T, name string, size int64) {
	t.Helper()
	n.putSized(t, ".new", size)
	if err := os.Rename(n.path(".new"), n.path(name)); err != nil {
		t.Fatal(err)
	}
}

// wantSize compares what GET /lun would show.
func (n *node) wantSize(t *testing.T, suffix string, want int64) {
	t.Helper()
	targets, err := n.Targets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range targets {
		if l, _ := x.Image(); x.Name == base+":"+suffix && l.Size == want {
			return
		}
	}
	t.Errorf("targets %+v, want %s with %d bytes", targets, suffix, want)
}

func replacedSentence(file, suffix string) string {
	return file + " was replaced under its target " + base + ":" + suffix + ", which still serves the file that was there before; " +
		"a scan serves the new one once nobody is logged in"
}

func (n *node) login(t *testing.T, suffix string) (logout func()) {
	t.Helper()
	logout, err := n.backend.Login(base+":"+suffix, base+":pc")
	if err != nil {
		t.Fatal(err)
	}
	return logout
}

func TestAFileReplacedUnderAMachineIsToldAndTheMachineNoticesNothing(t *testing.T) {
	n := newNode(t)
	n.put(t, "rep.img", "w.iso")
	n.wantScan(t, "+rep +w.iso")
	off, eject := n.login(t, "rep"), n.login(t, "w.iso")
	n.replace(t, "rep.img", 2<<20)
	n.replace(t, "w.iso", 2<<20)

	done := n.wantScan(t, "!rep.img !w.iso")
	if want := replacedSentence("rep.img", "rep"); done.Failed[0].Error != want {
		t.Errorf("failed with %q, want %q", done.Failed[0].Error, want)
	}
	_, err := n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "rep"), Existing: true}, nil)
	wantFault(t, err, fault.Conflict, replacedSentence("rep.img", "rep"))
	_, err = n.CreateCD(t.Context(), cd(t, "w.iso"), iqn(t, "w.iso"))
	wantFault(t, err, fault.Conflict, replacedSentence("w.iso", "w.iso"))
	n.wantSize(t, "rep", 1<<20)
	n.wantStands(t, "rep=rep.img w.iso=w.iso")

	off()
	eject()
	_, err = n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "rep"), Existing: true}, nil)
	wantFault(t, err, fault.Conflict, replacedSentence("rep.img", "rep"))
	n.wantScan(t, "+rep +w.iso")
	n.wantSize(t, "rep", 2<<20)
	n.wantScan(t, "-rep -w.iso")
	if _, err := n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "rep"), Existing: true}, nil); err != nil {
		t.Error(err)
	}
}

func TestAFileThatGrewUnderItsTargetIsShownAsItIsServed(t *testing.T) {
	n := newNode(t)
	n.put(t, "a.img")
	n.wantScan(t, "+a")
	if err := os.Truncate(n.path("a.img"), 2<<20); err != nil {
		t.Fatal(err)
	}
	n.wantScan(t, "-a")
	n.wantSize(t, "a", 1<<20)
}

func TestTheNextAgentKnowsWhatWasReplacedWhileNoneRan(t *testing.T) {
	dir, b, keeps := t.TempDir(), fake.New(), filepath.Join(t.TempDir(), "targets.json")
	start := func() *node {
		n := newNodeOn(t, dir, b, false)
		n.Service = export.New(export.Options{Base: baseOf(t), Store: n.store, Backend: b, Served: keeps})
		return n
	}
	n := start()
	n.put(t, "a.img", "b.img")
	n.wantScan(t, "+a +b")
	defer n.login(t, "a")()
	n.replace(t, "a.img", 1<<20)

	n.store.Close()
	next := start()
	_, err := next.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "a"), Existing: true}, nil)
	wantFault(t, err, fault.Conflict, replacedSentence("a.img", "a"))
	next.wantScan(t, "-b !a.img")

	// Another life of the server has opened the files anew.
	targets, err := b.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.Crash()
	for _, x := range targets {
		b.Add(x)
	}
	next.store.Close()
	start().wantScan(t, "-a -b")
}

func TestWithoutWhatAnAgentKeptTargetsAreTakenForWhatTheySay(t *testing.T) {
	for _, text := range []string{"", "{", `{"schema":2}`, `{"schema":1,"targets":null}`, "\x00\x00"} {
		keeps := filepath.Join(t.TempDir(), "targets.json")
		if err := os.WriteFile(keeps, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		n := newNode(t)
		n.put(t, "a.img")
		n.addForeign(base+":a", n.path("a.img"))
		n.Service = export.New(export.Options{Base: baseOf(t), Store: n.store, Backend: n.backend, Served: keeps})
		n.wantScan(t, "-a")
		n.replace(t, "a.img", 1<<20)
		n.wantScan(t, "+a") // idle
	}
}

func TestWhatANewerAgentKeptIsLeftToItAndTold(t *testing.T) {
	keeps := filepath.Join(t.TempDir(), "targets.json")
	const newer = `{"schema":2,"targets":{}}`
	if err := os.WriteFile(keeps, []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	n := newNode(t)
	n.Service = export.New(export.Options{Base: baseOf(t), Store: n.store, Backend: n.backend, Served: keeps})
	want := keeps + " is left alone, schema 2 is newer than this agent, which knows 1: after a restart of this agent nobody knows which file each target serves"
	wantFault(t, n.Kept(), fault.Unavailable, want)
	n.put(t, "a.img")
	n.wantScan(t, "+a")
	wantFault(t, n.Kept(), fault.Unavailable, want)
	if got, err := os.ReadFile(keeps); err != nil || string(got) != newer {
		t.Errorf("%s, %v", got, err)
	}
}

func TestWhatCannotBeKeptOfTargetsIsToldAndStopsNothing(t *testing.T) {
	n := newNode(t)
	full := filepath.Join(t.TempDir(), "gone", "targets.json")
	n.Service = export.New(export.Options{Base: baseOf(t), Store: n.store, Backend: n.backend, Served: full})
	n.put(t, "a.img")
	n.wantScan(t, "+a")
	wantFault(t, n.Kept(), fault.Unavailable, full+" cannot be written: after a restart of this agent nobody knows which file each target serves")
	if err := errors.Join(os.Mkdir(filepath.Dir(full), 0o700), n.Delete(t.Context(), iqn(t, "a"), false, false), n.Kept()); err != nil {
		t.Error(err)
	}
}

func TestAServerThatKnowsItsSizesIsBelieved(t *testing.T) {
	n := newNodeOn(t, t.TempDir(), fake.NewWith(target.Traits{Name: "lio", Sizes: true}), false)
	n.put(t, "a.img")
	n.wantScan(t, "+a")
	n.putSized(t, "a.img", 2<<20)
	n.wantSize(t, "a", 2<<20) // the fake asks the file
}

func TestAHardLinkToAMasterIsNeitherServedNorDeleted(t *testing.T) {
	n := newNode(t)
	n.put(t, "u_tpl_1.img", "odd name_tpl_.img")
	for link, master := range map[string]string{"a.img": "u_tpl_1.img", "b.img": "odd name_tpl_.img"} {
		if err := os.Link(n.path(master), n.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	n.addForeign(base+":a", n.path("a.img")) // linked after it was served
	n.wantScan(t, "-u_tpl_1.img !a.img !b.img !odd name_tpl_.img")
	twin := "b.img is the master odd name_tpl_.img under another name"
	_, err := n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "b"), Existing: true}, nil)
	wantFault(t, err, fault.Conflict, twin)
	wantFault(t, n.Delete(t.Context(), iqn(t, "a"), true, true), fault.Conflict, "a.img is the master u_tpl_1.img under another name")
	n.wantFiles(t, "a.img b.img odd name_tpl_.img u_tpl_1.img")
	n.wantStands(t, "a=a.img")
}

func TestAMasterThatMakesNoDiskIsNotCloned(t *testing.T) {
	n := newNode(t)
	for size, sentence := range map[int64]string{
		0:         "master m_tpl_.img holds 0 bytes, a disk has at least 1048576",
		1<<20 - 1: "master m_tpl_.img holds 1048575 bytes, a disk has at least 1048576",
		1<<20 + 9: "master m_tpl_.img holds 1048585 bytes, which is no multiple of a sector's 512",
	} {
		n.putSized(t, "m_tpl_.img", size)
		n.putSized(t, "kept.img", size)
		_, err := n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "a"), Master: disk(t, "m_tpl_.img")}, func(s store.Step) { t.Errorf("step %+v", s) })
		wantFault(t, err, fault.Conflict, sentence)
		_, err = n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "kept"), Existing: true}, nil)
		wantFault(t, err, fault.Conflict, "kept"+sentence[len("master m_tpl_"):])
	}
	n.wantFiles(t, "kept.img m_tpl_.img")
	n.wantStands(t, "")
}
