package lio

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"testing"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/agent/target/targettest"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
)

// server is a kernel that the tests run on, in memory or real, empty at first.
type server struct {
	tree  tree
	login func(iqn, initiator string) (logout func(), err error)
	// address is what the kernel tells of an initiator that an ACL names.
	address string
}

func (s server) backend() *Backend { return s.with(s.tree) }

func (s server) with(t tree) *Backend {
	b := New(Options{})
	b.fs = t
	return b
}

func inMemory(*testing.T) server {
	k := newKernel()
	return server{tree: tree{k, k}, login: k.Login, address: "192.0.2.7"}
}

func TestADriverOfASimulatedKernel(t *testing.T) { contract(t, inMemory) }

// contract is all that must hold on every kernel.
func contract(t *testing.T, start func(t *testing.T) server) {
	t.Run("keeps the contract of all backends", func(t *testing.T) {
		targettest.Run(t, func(t *testing.T) targettest.Server {
			s := start(t)
			return targettest.Server{Backend: s.backend(), Login: s.login}
		})
	})
	tests := []struct {
		name string
		run  func(t *testing.T, start func(t *testing.T) server)
	}{
		{"heals after an error at any step of making", errorsWhileMaking},
		{"heals after a crash at any step of making", crashesWhileMaking},
		{"heals after a crash at any step of removing", crashesWhileRemoving},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, start) })
	}
	for name, run := range map[string]func(t *testing.T, s server){
		"adopts a target of others with the same file and never changes it": adoptsForeign,
		"refuses a target of others with another file or without one":       refusesForeign,
		"takes another hba number when others are on it":                    evadesForeignHBA,
		"refuses paths that the kernel would cut and files it cannot serve": refusesPaths,
		"gives the capacity in whole blocks":                                wholeBlocks,
		"tells the address of an initiator that is let in by name":          tellsAddresses,
		"narrows a target in service without a disturbance":                 narrowsInService,
		"gives a disk without a write cache where every write is to wait":   waitsForTheMedium,
		"removes what targetctl has put on other numbers":                   removesRestored,
	} {
		t.Run(name, func(t *testing.T) { run(t, start(t)) })
	}
}

const base = "iqn.2026-07.com.liotest"

func name(t *testing.T, suffix string) iscsi.IQN {
	t.Helper()
	q, err := iscsi.ParseIQN(base + ":" + suffix)
	must(t, err)
	return q
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func image(t *testing.T, size int64) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "disk.img")
	must(t, os.WriteFile(file, nil, 0o600))
	must(t, os.Truncate(file, size))
	return file
}

func export(t *testing.T, suffix string) target.Export {
	t.Helper()
	return target.Export{IQN: name(t, suffix), Backing: image(t, 1<<20)}
}

func ensure(b *Backend, e target.Export, t *testing.T) target.Result {
	return b.Ensure(t.Context(), []target.Export{e})[0]
}

func mustEnsure(t *testing.T, b *Backend, e target.Export, created bool) {
	t.Helper()
	if r := ensure(b, e, t); r.Err != nil || r.Created != created {
		t.Fatalf("Ensure(%s) = %+v, want created %t", e.IQN, r, created)
	}
}

func wantSentence(t *testing.T, err error, kind fault.Kind, want string) {
	t.Helper()
	if !fault.Is(err, kind) || fault.Sentence(err) != want {
		t.Errorf("error %v of kind %s, want %q of kind %s", err, fault.KindOf(err).Code(), want, kind.Code())
	}
}

// wantNothing fails when anything of q is left in the tree.
func wantNothing(t *testing.T, s server, q iscsi.IQN) {
	t.Helper()
	for _, dir := range append(hbas(q), targetDir(q.String())) {
		if _, err := s.tree.Identity(dir); err == nil {
			t.Errorf("%s is left", dir)
		}
	}
}

// foreignTarget makes a target as others do; the function tells whether it is
// still what it was.
func foreignTarget(t *testing.T, s server, iqn, file string) (unchanged func()) {
	t.Helper()
	must(t, s.backend().fabric())
	store := foreignStore(t, s, "core/fileio_7", "other", file)
	group := groupDir(iqn)
	for _, dir := range []string{targetDir(iqn), group, group + "/np/" + DefaultPortal, group + "/lun/lun_0"} {
		must(t, s.tree.Mkdir(dir))
	}
	must(t, s.tree.Link(store, group+"/lun/lun_0/some-name"))
	must(t, s.tree.Write(group+"/enable", "1"))
	t.Cleanup(func() {
		for _, part := range []string{"/np/" + DefaultPortal, "/lun/lun_0/some-name", "/lun/lun_0", ""} {
			must(t, s.tree.Remove(group+part))
		}
		must(t, s.tree.Remove(targetDir(iqn)))
		must(t, s.tree.Remove(store))
		must(t, s.tree.Remove(path.Dir(store)))
	})
	before, err := s.backend().look(group)
	must(t, err)
	return func() {
		t.Helper()
		if after, err := s.backend().look(group); err != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("the target of others was %+v and is %+v, %v", before, after, err)
		}
	}
}

func foreignStore(t *testing.T, s server, hba, name, file string) string {
	t.Helper()
	store := path.Join(hba, name)
	for _, dir := range []string{hba, store} {
		must(t, s.tree.Mkdir(dir))
	}
	must(t, s.tree.Write(store+"/control", fmt.Sprintf("fd_dev_name=%s,fd_dev_size=%d", file, 1<<20)))
	must(t, s.tree.Write(store+"/udev_path", file))
	must(t, s.tree.Write(store+"/enable", "1"))
	return store
}
