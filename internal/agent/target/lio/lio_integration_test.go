//go:build integration

package lio_test

import (
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/liovm"
)

var guestAddr = netip.MustParseAddr("192.168.80.5")

// result is one line of go test -v, after the guest's console:
//
//	--- PASS: TestInTheKernel/keeps_the_contract_of_all_backends (0.45s)
var result = regexp.MustCompile(`(?m)^ *--- (\w+): (\S+) \((\S+)\)$`)

func TestTheKernelsOwnTargetInAGuest(t *testing.T) {
	l, h, program := newGuestHost(t)
	vm, err := liovm.Start(t.Context(), l, h, liovm.Options{
		Name: "suite", Program: program, Args: []string{"-test.v", "-test.run=^TestInTheKernel$", "-test.timeout=10m"},
	})
	must(t, err)
	status, err := vm.Wait(10 * time.Minute)
	must(t, err)
	out := vm.Output.Text()
	results := result.FindAllStringSubmatch(out, -1)
	for _, r := range results {
		t.Run(strings.TrimPrefix(r[2], "TestInTheKernel/"), func(t *testing.T) {
			t.Logf("%s in the guest after %s", r[1], r[3])
			if r[1] != "PASS" {
				t.Fail()
			}
		})
	}
	if status != 0 || len(results) < 20 {
		t.Errorf("the guest's tests ended with status %d and %d results:\n%s\n%s", status, len(results), out, vm.Console.Tail(20))
	}
	for line := range strings.Lines(out) {
		if _, said, ok := strings.Cut(line, "guest_test.go:"); ok {
			t.Log(strings.TrimSpace(said))
		}
	}
}

func newGuestHost(t *testing.T) (*lab.Lab, *lab.Host, string) {
	t.Helper()
	l, err := lab.New()
	must(t, err)
	t.Cleanup(func() { must(t, l.Close()) })
	h, err := l.AddHost("lio", guestAddr)
	must(t, err)
	program := l.Path("lio.test")
	must(t, liovm.BuildTest(t.Context(), "./internal/agent/target/lio", "liovm_guest", program))
	return l, h, program
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
