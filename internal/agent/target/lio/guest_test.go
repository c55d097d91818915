//go:build liovm_guest

package lio

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
)

// What follows runs in a guest whose kernel has LIO; lio_integration_test.go
// starts it there.

func inTheKernel(t *testing.T) server {
	t.Cleanup(func() { removeAll(t) })
	return theKernel
}

var theKernel = server{
	tree: mounted(DefaultRoot), address: "127.0.0.1",
	login: func(iqn, initiator string) (func(), error) {
		return logIn("127.0.0.1:3260", iqn, initiator)
	},
}

func removeAll(t *testing.T) {
	b, ctx := New(Options{}), context.Background() // the test's own is over
	targets, err := b.List(ctx)
	if err != nil {
		t.Error(err)
	}
	for _, x := range targets {
		if q, err := iscsi.ParseIQN(x.Name); err == nil {
			err = b.Remove(ctx, q, true)
			if err != nil && !fault.Is(err, fault.Conflict) {
				t.Error(err)
			}
		}
	}
}

func TestInTheKernel(t *testing.T) {
	contract(t, inTheKernel)
	t.Run("tells that the port is taken", portTaken)
	t.Run("makes the 500th target as quickly as the first", manyTargets)
}

func portTaken(t *testing.T) {
	taken, err := net.Listen("tcp", ":3260")
	must(t, err)
	defer taken.Close()
	s, e := inTheKernel(t), export(t, "taken.debian")
	wantSentence(t, ensure(s.backend(), e, t).Err, fault.Internal,
		"lio: open portal 0.0.0.0:3260 (does another program listen there?): invalid argument")
	wantNothing(t, s, e.IQN)
}

// manyTargets leaves them standing: the guest ends with it.
func manyTargets(t *testing.T) {
	const many = 500
	b := theKernel.backend()
	var exports []target.Export
	dir := t.TempDir()
	for i := range many {
		file := filepath.Join(dir, fmt.Sprintf("%d.img", i))
		must(t, os.WriteFile(file, nil, 0o600))
		must(t, os.Truncate(file, 1<<20))
		exports = append(exports, target.Export{IQN: name(t, fmt.Sprintf("w%d.debian", i)), Backing: file})
	}
	took := func(do func()) time.Duration {
		start := time.Now()
		do()
		return time.Since(start)
	}
	batch := func(from, to int) time.Duration {
		return took(func() {
			for i, r := range b.Ensure(t.Context(), exports[from:to]) {
				if r.Err != nil || !r.Created {
					t.Errorf("target %d: %+v", from+i, r)
				}
			}
		})
	}
	one := func(from, to int) (each time.Duration) {
		for i := from; i < to; i++ {
			each += batch(i, i+1)
		}
		return each / time.Duration(to-from)
	}
	first := one(0, 10)
	bulk := batch(10, many-10)
	last := one(many-10, many)
	list := took(func() {
		if targets, err := b.List(t.Context()); err != nil || len(targets) != many {
			t.Errorf("%d targets, %v", len(targets), err)
		}
	})
	again := took(func() { b.Ensure(t.Context(), exports) })
	removal := took(func() { must(t, b.Remove(t.Context(), exports[0].IQN, false)) })
	t.Logf("create: %v each for the first 10, %v each for the last 10 of %d (%.2f times); %d in one call: %v",
		first, last, many, float64(last)/float64(first), many-20, bulk)
	t.Logf("at %d: list %v, ensure all again %v, remove one %v", many, list, again, removal)
}
