package lio

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
)

func adoptsForeign(t *testing.T, s server) {
	e := export(t, "adopted.debian")
	unchanged := foreignTarget(t, s, e.IQN.String(), e.Backing)
	mustEnsure(t, s.backend(), e, false)
	wantSentence(t, s.backend().Remove(t.Context(), e.IQN, true), fault.Conflict,
		"target "+e.IQN.String()+" was not made by this agent")
	unchanged()
}

func refusesForeign(t *testing.T, s server) {
	e := export(t, "foreign.debian")
	other := image(t, 1<<20)
	unchanged := foreignTarget(t, s, e.IQN.String(), other)
	wantSentence(t, ensure(s.backend(), e, t).Err, fault.Exists,
		"target "+e.IQN.String()+" already stands and serves "+other+", not "+e.Backing)
	unchanged()

	bare := export(t, "bare.debian")
	must(t, s.tree.Mkdir(targetDir(bare.IQN.String())))
	t.Cleanup(func() { must(t, s.tree.Remove(targetDir(bare.IQN.String()))) })
	wantSentence(t, ensure(s.backend(), bare, t).Err, fault.Exists,
		"target "+bare.IQN.String()+" already stands, without a disk, and was not made by this agent")
	wantSentence(t, s.backend().Remove(t.Context(), bare.IQN, true), fault.Conflict,
		"target "+bare.IQN.String()+" was not made by this agent")
	targets, err := s.backend().List(t.Context())
	if err != nil || len(targets) != 2 {
		t.Errorf("List = %+v, %v; want both", targets, err)
	}
}

func evadesForeignHBA(t *testing.T, s server) {
	e := export(t, "crowded.debian")
	must(t, s.backend().fabric())
	numbers := hbas(e.IQN)
	var stores []string
	for _, hba := range numbers[:2] {
		stores = append(stores, foreignStore(t, s, hba, "other", image(t, 1<<20)))
	}
	mustEnsure(t, s.backend(), e, true)
	mustEnsure(t, s.backend(), e, false)
	if _, err := s.tree.Identity(numbers[2] + "/" + storeName(e.IQN)); err != nil {
		t.Error(err)
	}
	must(t, s.backend().Remove(t.Context(), e.IQN, false))
	if _, err := s.tree.Identity(numbers[2]); err == nil {
		t.Errorf("%s is left", numbers[2])
	}
	for i, store := range stores {
		must(t, s.tree.Remove(store))
		must(t, s.tree.Remove(numbers[i]))
	}
}

func refusesPaths(t *testing.T, s server) {
	dir := t.TempDir()
	long := filepath.Join(dir, strings.Repeat("x", 40))
	must(t, os.Mkdir(long, 0o700))
	for _, c := range []struct {
		name, path string
		size       int64
		want       string
	}{
		{"a comma", "a,b.img", 1 << 20, "path \"%p\" holds a comma or a newline, where the kernel would cut it"},
		{"a newline", "a\nb.img", 1 << 20, ""},
		{"too long a path", filepath.Join(filepath.Base(long), strings.Repeat("y", 240)), 1 << 20, ""},
		{"less than one block", "small.img", 511, "file %p has 511 bytes, less than one block"},
		{"no file", "absent.img", -1, "file %p does not exist"},
		{"a folder", filepath.Base(long), -1, "%p is not a regular file"},
	} {
		e := target.Export{IQN: name(t, "refused.debian"), Backing: filepath.Join(dir, c.path)}
		if c.size >= 0 {
			must(t, os.WriteFile(e.Backing, nil, 0o600))
			must(t, os.Truncate(e.Backing, c.size))
		}
		err := ensure(s.backend(), e, t).Err
		if err == nil {
			t.Fatalf("%s: no error", c.name)
		}
		if want := strings.ReplaceAll(c.want, "%p", e.Backing); want != "" && fault.Sentence(err) != want {
			t.Errorf("%s: %q, want %q", c.name, fault.Sentence(err), want)
		}
		if fault.Is(err, fault.Internal) {
			t.Errorf("%s: %v is taken for a fault of ours", c.name, err)
		}
		wantNothing(t, s, e.IQN)
	}
	if _, err := os.Stat(filepath.Join(dir, "absent.img")); err == nil {
		t.Error("the missing file was made")
	}
}

func wholeBlocks(t *testing.T, s server) {
	e := target.Export{IQN: name(t, "odd.debian"), Backing: image(t, 1<<20+511)}
	mustEnsure(t, s.backend(), e, true)
	targets, err := s.backend().List(t.Context())
	must(t, err)
	if l, _ := targets[0].Image(); l.Size != 1<<20 {
		t.Errorf("the disk has %d bytes, want %d", l.Size, 1<<20)
	}
	must(t, s.backend().Remove(t.Context(), e.IQN, false))
}

func tellsAddresses(t *testing.T, s server) {
	e := private(t)
	mustEnsure(t, s.backend(), e, true)
	logout, err := s.login(e.IQN.String(), e.Initiator.String())
	must(t, err)
	targets, err := s.backend().List(t.Context())
	must(t, err)
	want := target.Session{Initiator: e.Initiator.String(), Address: s.address}
	if got := targets[0].Sessions; len(got) != 1 || got[0] != want {
		t.Errorf("sessions %+v, want %+v", got, want)
	}
	if got := targets[0].ACL; len(got) != 1 || got[0] != e.Initiator.String() {
		t.Errorf("acl %q, want %s alone", got, e.Initiator)
	}
	err = s.backend().Remove(t.Context(), e.IQN, false)
	wantSentence(t, err, fault.InUse, "target "+e.IQN.String()+" is in use by "+e.Initiator.String())
	logout()
	must(t, s.backend().Remove(t.Context(), e.IQN, true))
}

func narrowsInService(t *testing.T, s server) {
	open := export(t, "service.debian")
	narrow := open
	narrow.Initiator = name(t, "service")
	mustEnsure(t, s.backend(), open, true)
	stranger, err := s.login(open.IQN.String(), base+":stranger")
	must(t, err)
	waitForSessions(t, s, open.IQN, base+":stranger")
	stranger() // the kernel goes on knowing it
	waitForSessions(t, s, open.IQN)
	end, err := s.login(open.IQN.String(), narrow.Initiator.String())
	must(t, err)
	waitForSessions(t, s, open.IQN, narrow.Initiator.String())

	mustEnsure(t, s.backend(), narrow, true)
	mustEnsure(t, s.backend(), narrow, false)
	targets, err := s.backend().List(t.Context())
	must(t, err)
	if names := targets[0].Initiators(); len(names) != 1 || names[0] != narrow.Initiator.String() {
		t.Errorf("sessions of %q, want the one that was there", names)
	}
	mustEnsure(t, s.backend(), open, true)
	mustEnsure(t, s.backend(), narrow, true)

	end()
	waitForSessions(t, s, open.IQN)
	mustEnsure(t, s.backend(), narrow, true) // now made anew
	if logout, err := s.login(open.IQN.String(), base+":stranger"); err == nil {
		logout()
		t.Error("an initiator of earlier times logged in")
	}
	must(t, s.backend().Remove(t.Context(), open.IQN, true))
}

// waitForSessions waits for the kernel to notice that a connection has begun or
// ended: it answers a login before it lists it.
func waitForSessions(t *testing.T, s server, q iscsi.IQN, want ...string) {
	t.Helper()
	var got []string
	for range 100000 {
		g, err := s.backend().look(groupDir(q.String()))
		must(t, err)
		if got = (target.Target{Sessions: g.sessions}).Initiators(); slices.Equal(got, want) {
			return
		}
	}
	t.Fatalf("%s has sessions of %q, want %q", q, got, want)
}

func removesRestored(t *testing.T, s server) {
	e := export(t, "restored.debian")
	must(t, s.backend().fabric())
	b := s.backend()
	mustEnsure(t, b, e, true)
	store := hbas(e.IQN)[0] + "/" + storeName(e.IQN)
	link := groupDir(e.IQN.String()) + "/lun/lun_0/" + storeName(e.IQN)
	must(t, s.tree.Remove(link))
	must(t, s.tree.Remove(store))
	must(t, s.tree.Remove(hbas(e.IQN)[0]))
	moved := foreignStore(t, s, "core/fileio_0", storeName(e.IQN), e.Backing)
	must(t, s.tree.Link(moved, link))
	mustEnsure(t, b, e, true) // the serial was lost: made anew
	for _, dir := range []string{moved, "core/fileio_0"} {
		if _, err := s.tree.Identity(dir); err == nil {
			t.Errorf("%s is left", dir)
		}
	}
	must(t, b.Remove(t.Context(), e.IQN, false))
	wantNothing(t, s, e.IQN)
}
