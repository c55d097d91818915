package lio

import (
	"cmp"
	"io/fs"
	"slices"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/agent/target"
)

// faulty refuses one call, the n-th from 0, or, as after a crash, it and all
// that follow. A crash is at a call that changes something: between two reads
// it would leave the same tree.
type faulty struct {
	tree
	n     int
	crash bool
	errno syscall.Errno // 0: EIO
	calls int
}

func (f *faulty) fault(op, name string) error {
	if f.crash && !f.reached() && slices.Contains([]string{"stat", "read", "list", "readlink"}, op) {
		return nil
	}
	f.calls++
	if at := f.calls - 1; at == f.n || f.crash && at > f.n {
		return refuse(op, name, cmp.Or(f.errno, syscall.EIO))
	}
	return nil
}

// reached reports whether the n-th call was made at all.
func (f *faulty) reached() bool { return f.calls > f.n }

func (f *faulty) Identity(name string) (string, error) {
	if err := f.fault("stat", name); err != nil {
		return "", err
	}
	return f.tree.Identity(name)
}

func (f *faulty) Read(name string) (string, error) {
	if err := f.fault("read", name); err != nil {
		return "", err
	}
	return f.tree.Read(name)
}

func (f *faulty) List(name string) ([]fs.DirEntry, error) {
	if err := f.fault("list", name); err != nil {
		return nil, err
	}
	return f.tree.List(name)
}

func (f *faulty) ReadLink(name string) (string, error) {
	if err := f.fault("readlink", name); err != nil {
		return "", err
	}
	return f.tree.ReadLink(name)
}

func (f *faulty) Mkdir(name string) error {
	if err := f.fault("mkdir", name); err != nil {
		return err
	}
	return f.tree.Mkdir(name)
}

func (f *faulty) Remove(name string) error {
	if err := f.fault("remove", name); err != nil {
		return err
	}
	return f.tree.Remove(name)
}

func (f *faulty) Write(name, value string) error {
	if err := f.fault("write", name); err != nil {
		return err
	}
	return f.tree.Write(name, value)
}

func (f *faulty) Link(to, name string) error {
	if err := f.fault("symlink", name); err != nil {
		return err
	}
	return f.tree.Link(to, name)
}

// private is an export with every part that we make.
func private(t *testing.T) target.Export {
	e := export(t, "steps.debian")
	e.Initiator = name(t, "steps")
	return e
}

func errorsWhileMaking(t *testing.T, start func(t *testing.T) server) {
	s := start(t)
	unchanged := foreignTarget(t, s, base+":of-others", image(t, 1<<20))
	e := private(t)
	n := 0
	for ; ; n++ {
		f := &faulty{tree: s.tree, n: n}
		r := ensure(s.with(tree{f, f}), e, t)
		if !f.reached() {
			break
		}
		if r.Err != nil {
			wantNothing(t, s, e.IQN)
		}
		mustEnsure(t, s.backend(), e, r.Err != nil)
		must(t, s.backend().Remove(t.Context(), e.IQN, false))
		wantNothing(t, s, e.IQN)
		if t.Failed() {
			t.Fatalf("that was call %d", n)
		}
	}
	must(t, s.backend().Remove(t.Context(), e.IQN, false))
	unchanged()
	t.Logf("%d calls", n)
}

func crashesWhileMaking(t *testing.T, start func(t *testing.T) server) {
	s := start(t)
	unchanged := foreignTarget(t, s, base+":of-others", image(t, 1<<20))
	e := private(t)
	for n := 0; ; n++ {
		done := crash(t, s, n, func(b *Backend) { ensure(b, e, t) })
		if r := ensure(s.backend(), e, t); r.Err != nil {
			t.Fatalf("after a crash at call %d: %v", n, r.Err)
		}
		must(t, s.backend().Remove(t.Context(), e.IQN, false))
		wantNothing(t, s, e.IQN)

		crash(t, s, n, func(b *Backend) { ensure(b, e, t) })
		must(t, s.backend().Remove(t.Context(), e.IQN, false))
		wantNothing(t, s, e.IQN)
		if t.Failed() || done {
			break
		}
	}
	unchanged()
}

func crashesWhileRemoving(t *testing.T, start func(t *testing.T) server) {
	s := start(t)
	unchanged := foreignTarget(t, s, base+":of-others", image(t, 1<<20))
	e := private(t)
	for n := 0; ; n++ {
		mustEnsure(t, s.backend(), e, true)
		done := crash(t, s, n, func(b *Backend) { _ = b.Remove(t.Context(), e.IQN, false) })
		if r := ensure(s.backend(), e, t); r.Err != nil {
			t.Fatalf("after a crash at call %d: %v", n, r.Err)
		}
		crash(t, s, n, func(b *Backend) { _ = b.Remove(t.Context(), e.IQN, false) })
		must(t, s.backend().Remove(t.Context(), e.IQN, false))
		wantNothing(t, s, e.IQN)
		if t.Failed() || done {
			break
		}
	}
	unchanged()
}

// crash lets do come as far as its n-th call, and reports whether that is all.
func crash(t *testing.T, s server, n int, do func(b *Backend)) (done bool) {
	t.Helper()
	f := &faulty{tree: s.tree, n: n, crash: true}
	do(s.with(tree{f, f}))
	return !f.reached()
}
