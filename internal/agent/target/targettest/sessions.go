package targettest

import (
	"testing"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
)

func login(t *testing.T, s Server, q iscsi.IQN) (logout func()) {
	t.Helper()
	logout, err := s.Login(q.String(), initiator)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(logout)
	return logout
}

func listsSessions(t *testing.T, s Server) {
	e := disk(t, "used.debian")
	mustEnsure(t, s.Backend, e)
	login(t, s, e.IQN)
	got, _ := find(t, s.Backend, e.IQN)
	if names := got.Initiators(); len(names) != 1 || names[0] != initiator {
		t.Errorf("initiators = %q", names)
	}
}

func removeInUse(t *testing.T, s Server) {
	e := disk(t, "busy.debian")
	mustEnsure(t, s.Backend, e)
	login(t, s, e.IQN)
	err := s.Backend.Remove(t.Context(), e.IQN, false)
	if !fault.Is(err, fault.InUse) {
		t.Fatalf("Remove = %v, want InUse", err)
	}
	if want := "target " + e.IQN.String() + " is in use by " + initiator; fault.Sentence(err) != want {
		t.Errorf("sentence %q, want %q", fault.Sentence(err), want)
	}
	got, ok := find(t, s.Backend, e.IQN)
	if l, _ := got.Image(); !ok || l.Backing != e.Backing || len(got.Sessions) != 1 {
		t.Errorf("after a refused removal: %+v", got)
	}
}

func removeForced(t *testing.T, s Server) {
	e := disk(t, "forced.debian")
	mustEnsure(t, s.Backend, e)
	login(t, s, e.IQN)
	if err := s.Backend.Remove(t.Context(), e.IQN, true); err != nil {
		t.Fatal(err)
	}
	if got, ok := find(t, s.Backend, e.IQN); ok {
		t.Errorf("still listed: %+v", got)
	}
}

func admitsOne(t *testing.T, s Server) {
	e := disk(t, "private.debian")
	e.Initiator = iqn(t, "machine")
	mustEnsure(t, s.Backend, e)
	if logout, err := s.Login(e.IQN.String(), initiator+"-2"); err == nil {
		logout()
		t.Error("a stranger logged in")
	}
	login(t, s, e.IQN)
}

func changesAdmission(t *testing.T, s Server) {
	e := disk(t, "narrowed.debian")
	mustEnsure(t, s.Backend, e)
	narrow := e
	narrow.Initiator = iqn(t, "other")
	for _, step := range []struct {
		export  target.Export
		refused bool
	}{{narrow, true}, {e, false}} {
		if r := ensure(t, s.Backend, step.export); r.Err != nil {
			t.Fatal(r.Err)
		}
		logout, err := s.Login(e.IQN.String(), initiator)
		if (err != nil) != step.refused {
			t.Errorf("admitting %q: login = %v", step.export.Initiator, err)
		}
		if err == nil {
			logout()
		}
	}
}
