//go:build integration

package stgt_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/agent/target/stgt"
	"ipxe-all-ready/internal/agent/target/stgt/stgttest"
	"ipxe-all-ready/internal/agent/target/targettest"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
)

func TestARealTgtdKeepsTheContract(t *testing.T) {
	targettest.Run(t, func(t *testing.T) targettest.Server {
		d := stgttest.Start(t)
		return targettest.Server{Backend: d.Backend(), Login: loginTo(d.Portal)}
	})
}

func loginTo(portal string) func(iqn, initiator string) (func(), error) {
	return func(iqn, initiator string) (func(), error) {
		i, err := targettest.Login(portal, iqn, initiator)
		if err != nil {
			return nil, err
		}
		return i.Close, i.Ping()
	}
}

func export(t *testing.T, suffix string) target.Export {
	t.Helper()
	q, err := iscsi.ParseIQN("iqn.2026-07.com.controller:" + suffix)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), suffix+".img")
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	return target.Export{IQN: q, Backing: path}
}

func ensureOne(t *testing.T, b *stgt.Backend, e target.Export) {
	t.Helper()
	if r := b.Ensure(t.Context(), []target.Export{e})[0]; r.Err != nil || !r.Created {
		t.Fatalf("Ensure = %+v", r)
	}
	targets, err := b.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range targets {
		if l, ok := x.Image(); x.Name == e.IQN.String() && ok && l.Backing == e.Backing && l.Serial == e.Serial() && len(x.ACL) == 1 {
			return
		}
	}
	t.Fatalf("not as asked: %+v", targets)
}

func TestATargetThatACrashLeftHalfMadeIsCompleted(t *testing.T) {
	d := stgttest.Start(t)
	b := d.Backend()
	target := []string{"--mode", "target", "--op", "new", "--tid", "1", "--targetname"}
	for i, steps := range [][][]string{
		{},
		{{"--mode", "logicalunit", "--op", "new", "--tid", "$", "--lun", "1", "--backing-store", "FILE"}},
		{{"--mode", "target", "--op", "bind", "--tid", "$", "--initiator-address", "ALL"}},
	} {
		e := export(t, fmt.Sprintf("half-%d", i))
		tid := fmt.Sprint(i + 1)
		target[5] = tid
		d.Admin(t, append(target, e.IQN.String())...)
		for _, step := range steps {
			for j := range step {
				step[j] = strings.NewReplacer("$", tid, "FILE", e.Backing).Replace(step[j])
			}
			d.Admin(t, step...)
		}
		ensureOne(t, b, e)
	}
}

func TestTargetIDsThatOthersTookAreNotStumbledOver(t *testing.T) {
	d := stgttest.Start(t)
	for _, tid := range []string{"1", "2", "4"} {
		d.Admin(t, "--mode", "target", "--op", "new", "--tid", tid, "--targetname", "iqn.2001-01.org.example:by-hand-"+tid)
	}
	for i := range 4 {
		ensureOne(t, d.Backend(), export(t, fmt.Sprintf("among-%d", i)))
	}
}

func TestTwoAgentsOnOneTgtdGetDifferentTargetIDs(t *testing.T) {
	d := stgttest.Start(t)
	a, b := d.Backend(), d.Backend() // neither knows what the other reserves
	var mine, theirs []target.Export
	for i := range 20 {
		mine = append(mine, export(t, fmt.Sprintf("mine-%d", i)))
		theirs = append(theirs, export(t, fmt.Sprintf("theirs-%d", i)))
	}
	done := make(chan []target.Result)
	go func() { done <- b.Ensure(t.Context(), theirs) }()
	results := append(a.Ensure(t.Context(), mine), <-done...)
	for i, r := range results {
		if r.Err != nil || !r.Created {
			t.Errorf("result %d = %+v", i, r)
		}
	}
}

func TestAPathWithABlankAndQuotesReachesTgtdWhole(t *testing.T) {
	d := stgttest.Start(t)
	e := export(t, "plain")
	odd := filepath.Join(t.TempDir(), `a folder; "quoted" $(x)`)
	if err := os.Mkdir(odd, 0o700); err != nil {
		t.Fatal(err)
	}
	e.Backing = filepath.Join(odd, "x.img")
	if err := os.WriteFile(e.Backing, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	ensureOne(t, d.Backend(), e)
}

func TestADeadTgtdIsUnavailableAndItsNextLifeHasAnotherName(t *testing.T) {
	d := stgttest.Start(t)
	b := d.Backend()
	first, err := b.Ping(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d.Kill()
	want := fmt.Sprintf("tgtd is not running on control port %d", d.ControlPort)
	if _, err := b.List(t.Context()); !fault.Is(err, fault.Unavailable) || fault.Sentence(err) != want {
		t.Errorf("List = %v, want %q", err, want)
	}
	if r := b.Ensure(t.Context(), []target.Export{export(t, "x")})[0]; !fault.Is(r.Err, fault.Unavailable) {
		t.Errorf("Ensure = %+v", r)
	}
	d.Run(t)
	if second, err := b.Ping(t.Context()); err != nil || second == first {
		t.Errorf("lives %q and %q, %v", first, second, err)
	}
}

func TestATgtdThatServesAnotherPortalIsNotReady(t *testing.T) {
	d := stgttest.Start(t)
	b := stgt.New(stgt.Options{Tgtadm: "tgtadm", ControlPort: d.ControlPort, Portal: "127.0.0.1:1"})
	_, err := b.Ping(t.Context())
	want := fmt.Sprintf("tgtd on control port %d listens on %s and not on 127.0.0.1:1", d.ControlPort, d.Portal)
	if !fault.Is(err, fault.Unavailable) || fault.Sentence(err) != want {
		t.Errorf("Ping = %v, want %q", err, want)
	}
}

func TestAnIndependentInitiatorReadsSizeAndSerial(t *testing.T) {
	d := stgttest.Start(t)
	e := export(t, "independent")
	ensureOne(t, d.Backend(), e)
	url := "iscsi://" + d.Portal + "/" + e.IQN.String() + "/1"
	if got := stgttest.Output(t, "iscsi-readcapacity16", "-s", url); strings.TrimSpace(got) != "1048576" {
		t.Errorf("capacity %q", got)
	}
	if got := stgttest.Output(t, "iscsi-inq", "-e", "1", "-c", "128", url); !strings.Contains(got, e.Serial()) {
		t.Errorf("serial page %q does not hold %s", got, e.Serial())
	}
}

func TestAPathThatTgtdWouldCutIsRefusedWithoutATrace(t *testing.T) {
	d := stgttest.Start(t)
	e := export(t, "cut")
	e.Backing += ",x"
	r := d.Backend().Ensure(t.Context(), []target.Export{e})[0]
	if want := fmt.Sprintf("path %q holds a comma or a newline, where tgtd would cut it", e.Backing); fault.Sentence(r.Err) != want {
		t.Errorf("Ensure = %v, want %q", r.Err, want)
	}
	if targets, err := d.Backend().List(t.Context()); err != nil || len(targets) != 0 {
		t.Errorf("List = %v, %v", targets, err)
	}
}
