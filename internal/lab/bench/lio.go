package main

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"time"

	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/liovm"
)

// create: 27.1ms each for the first 10, 29.3ms each for the last 10 of 500 (1.08 times); 480 in one call: 13.2s
var created = regexp.MustCompile(`create: (\S+) each for the first 10, (\S+) each for the last 10 of 500`)

// lio has the driver make 500 targets in a guest whose kernel has LIO: its own
// test of that does it, and measures.
func lio(b *bench) (_ []result, err error) {
	l, err := lab.New()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	h, err := l.AddHost("lio", netip.MustParseAddr("192.168.80.5"))
	if err != nil {
		return nil, err
	}
	program := l.Path("lio.test")
	if err := liovm.BuildTest(b.ctx, "./internal/agent/target/lio", "liovm_guest", program); err != nil {
		return nil, err
	}
	vm, err := liovm.Start(b.ctx, l, h, liovm.Options{
		Name: "guest", Program: program, Args: []string{"-test.v", "-test.run=^TestInTheKernel$/^makes_the_500th"},
	})
	if err != nil {
		return nil, err
	}
	status, err := vm.Wait(5 * time.Minute)
	if err != nil {
		return nil, err
	}
	said := vm.Output.Tail(20)
	m := created.FindStringSubmatch(said)
	if status != 0 || m == nil {
		return nil, fmt.Errorf("the guest ended with status %d and said:\n%s", status, said)
	}
	first, err1 := time.ParseDuration(m[1])
	last, err2 := time.ParseDuration(m[2])
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	return []result{
		atMost("LIO: the 500th create against the 1st, in an emulated guest", last.Seconds()/first.Seconds(), 1.5, "%s against %s, ten of each", seconds(last.Seconds()), seconds(first.Seconds())),
		{work: "LIO: a create against the same by `targetcli`", unit: "×", bound: 20, atLeast: true,
			missing: "it needs Python and D-Bus in the guest; measured once by hand there: 27 ms against 3.5 s in one session and 10 s by four calls, 130 and 370 times"},
	}, nil
}
