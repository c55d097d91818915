package targettest

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
)

const initiator = "iqn.2026-07.com.targettest:machine"

func listsNothing(t *testing.T, s Server) {
	targets, err := s.Backend.List(t.Context())
	if err != nil || len(targets) != 0 {
		t.Fatalf("List = %v, %v", targets, err)
	}
	first, err := s.Backend.Ping(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if second, err := s.Backend.Ping(t.Context()); err != nil || second != first {
		t.Fatalf("two pings of one life: %q, then %q, %v", first, second, err)
	}
}

func listsWhatWasEnsured(t *testing.T, s Server) {
	e := disk(t, "listed.debian")
	mustEnsure(t, s.Backend, e)
	got, ok := find(t, s.Backend, e.IQN)
	if !ok {
		t.Fatal("not listed")
	}
	want := target.LUN{Number: s.Backend.Traits().LUN, Type: target.TypeDisk, Backing: e.Backing, Size: 2 << 20, Serial: e.Serial()}
	if l, ok := got.Image(); !ok || l != want {
		t.Errorf("image = %+v, want %+v", l, want)
	}
	if len(got.Sessions) != 0 {
		t.Errorf("sessions = %v", got.Sessions)
	}
}

func admitsAfterEnsure(t *testing.T, s Server) {
	e := disk(t, "open.debian")
	mustEnsure(t, s.Backend, e)
	logout, err := s.Login(e.IQN.String(), initiator)
	if err != nil {
		t.Fatal(err)
	}
	logout()
}

func ensureTwice(t *testing.T, s Server) {
	e := disk(t, "twice.debian")
	mustEnsure(t, s.Backend, e)
	before, _ := find(t, s.Backend, e.IQN)
	if r := ensure(t, s.Backend, e); r.Err != nil || r.Created {
		t.Fatalf("second Ensure = %+v", r)
	}
	after, _ := find(t, s.Backend, e.IQN)
	if before.TID != after.TID || !slices.Equal(before.LUNs, after.LUNs) {
		t.Errorf("the second Ensure changed %+v to %+v", before, after)
	}
}

func batchWithOneBadFile(t *testing.T, s Server) {
	var exports []target.Export
	for i := range 12 {
		exports = append(exports, disk(t, fmt.Sprintf("batch-%d.debian", i)))
	}
	exports[5].Backing = filepath.Join(t.TempDir(), "absent.img")
	for i, r := range s.Backend.Ensure(t.Context(), exports) {
		if bad := i == 5; (r.Err != nil) != bad || r.Created == bad {
			t.Errorf("result %d = %+v", i, r)
		}
	}
	targets, err := s.Backend.List(t.Context())
	if err != nil || len(targets) != 11 {
		t.Errorf("%d targets stand, %v; want 11", len(targets), err)
	}
}

func otherBacking(t *testing.T, s Server) {
	e := disk(t, "taken.debian")
	mustEnsure(t, s.Backend, e)
	other := e
	other.Backing = file(t, "other.img", 1<<20)
	r := ensure(t, s.Backend, other)
	if !fault.Is(r.Err, fault.Exists) {
		t.Fatalf("Ensure = %+v, want Exists", r)
	}
	wantWords(t, r.Err, e.IQN.String(), e.Backing, other.Backing)
	got, _ := find(t, s.Backend, e.IQN)
	if l, _ := got.Image(); l.Backing != e.Backing {
		t.Errorf("now serves %s", l.Backing)
	}
}

func missingFile(t *testing.T, s Server) {
	e := target.Export{IQN: iqn(t, "nofile.debian"), Backing: filepath.Join(t.TempDir(), "absent.img")}
	if r := ensure(t, s.Backend, e); r.Err == nil || r.Created {
		t.Fatalf("Ensure = %+v", r)
	}
	if _, ok := find(t, s.Backend, e.IQN); ok {
		t.Error("a target is left")
	}
}

func stableSerial(t *testing.T, s Server) {
	a, b := disk(t, "a.debian"), disk(t, "b.debian")
	mustEnsure(t, s.Backend, a)
	mustEnsure(t, s.Backend, b)
	first, _ := find(t, s.Backend, a.IQN)
	for _, e := range []target.Export{a, b} {
		if err := s.Backend.Remove(t.Context(), e.IQN, false); err != nil {
			t.Fatal(err)
		}
	}
	mustEnsure(t, s.Backend, b) // the other order
	mustEnsure(t, s.Backend, a)
	second, _ := find(t, s.Backend, a.IQN)
	x, _ := first.Image()
	y, _ := second.Image()
	if x.Serial != y.Serial || x.Serial != a.Serial() || a.Serial() == b.Serial() {
		t.Errorf("serials %q, %q, want %q", x.Serial, y.Serial, a.Serial())
	}
}

func removeAbsent(t *testing.T, s Server) {
	if err := s.Backend.Remove(t.Context(), iqn(t, "absent.debian"), false); err != nil {
		t.Error(err)
	}
	if err := s.Backend.Remove(t.Context(), iqn(t, "absent.debian"), true); err != nil {
		t.Error(err)
	}
}

func removeAndRemake(t *testing.T, s Server) {
	e := disk(t, "again.debian")
	mustEnsure(t, s.Backend, e)
	if err := s.Backend.Remove(t.Context(), e.IQN, false); err != nil {
		t.Fatal(err)
	}
	if _, ok := find(t, s.Backend, e.IQN); ok {
		t.Fatal("still listed")
	}
	mustEnsure(t, s.Backend, e)
}

func sideBySide(t *testing.T, s Server) {
	var group sync.WaitGroup
	for i := range 8 {
		e := disk(t, fmt.Sprintf("side-%d.debian", i))
		group.Go(func() {
			if r := s.Backend.Ensure(t.Context(), []target.Export{e})[0]; r.Err != nil {
				t.Error(r.Err)
				return
			}
			if i%2 == 0 {
				if err := s.Backend.Remove(t.Context(), e.IQN, false); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if targets, err := s.Backend.List(t.Context()); err != nil || len(targets) != 4 {
		t.Errorf("%d targets stand, %v; want 4", len(targets), err)
	}
}

func exportsCD(t *testing.T, s Server) {
	e := target.Export{IQN: iqn(t, "installer.iso"), Backing: file(t, "installer.iso", 1<<20), CD: true}
	if !s.Backend.Traits().CD {
		if r := ensure(t, s.Backend, e); !fault.Is(r.Err, fault.Unsupported) {
			t.Errorf("Ensure = %+v, want Unsupported", r)
		}
		return
	}
	mustEnsure(t, s.Backend, e)
	got, _ := find(t, s.Backend, e.IQN)
	if l, _ := got.Image(); l.Type != target.TypeCD || l.Backing != e.Backing {
		t.Errorf("image = %+v", l)
	}
}
