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

// lio has the driver make targets in guests whose kernel has LIO: its own tests
// of that do it, and measure.
func lio(b *bench) ([]result, error) {
	times, err := inKernel(b, "TestInTheKernel$/^makes_the_500th", created, liovm.Options{})
	if err != nil {
		return nil, err
	}
	first, last := times[0], times[1]
	return []result{
		atMost("LIO: the 500th create against the 1st, in an emulated guest", last/first, 1.5,
			"%s against %s, ten of each", seconds(last), seconds(first)),
		besideTargetcli(b),
	}, nil
}

// inKernel runs one test of the driver in a guest, and gives the times, in
// seconds, that it tells.
func inKernel(b *bench, test string, told *regexp.Regexp, o liovm.Options) (times []float64, err error) {
	l, err := lab.New()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	h, err := l.AddHost("lio", netip.MustParseAddr("192.168.80.5"))
	if err != nil {
		return nil, err
	}
	o.Name, o.Program, o.Args = "guest", l.Path("lio.test"), []string{"-test.v", "-test.run=^" + test}
	if err := liovm.BuildTest(b.ctx, "./internal/agent/target/lio", "liovm_guest", o.Program); err != nil {
		return nil, err
	}
	vm, err := liovm.Start(b.ctx, l, h, o)
	if err != nil {
		return nil, err
	}
	status, err := vm.Wait(5 * time.Minute)
	if err != nil {
		return nil, err
	}
	said := vm.Output.Tail(20)
	m := told.FindStringSubmatch(said)
	if status != 0 || m == nil {
		return nil, fmt.Errorf("the guest ended with status %d and said:\n%s", status, said)
	}
	for _, text := range m[1:] {
		d, err := time.ParseDuration(text)
		if err != nil {
			return nil, err
		}
		times = append(times, d.Seconds())
	}
	return times, nil
}
