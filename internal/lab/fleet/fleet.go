package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Options are one run.
type Options struct {
	Program  string        // ipxe-cp
	Machines int           // how many are powered on
	Known    int           // how many of them are in the ledger before, with a disk
	Within   time.Duration // they are powered on, evenly
	Hold     time.Duration // they go on rebooting after the last was named
	Firmware time.Duration // from reset to the question, about
	Run      time.Duration // a machine with a disk runs, about, before it reboots
	Agents   int           // storage nodes
	Trouble  Trouble       // of them; the first alone flaps
	Consoles int           // that poll
	Edit     bool          // ledgers are edited by hand while the load is held
	Out      io.Writer     // progress and report
}

// Fleet is one run with everything around it.
type Fleet struct {
	*Crowd
	ControlPlane *ControlPlane
	DHCP         *DHCP
	Nodes        []*Storage
	Samples      []Sample // one a second
	Before       Sample   // idle, before the first machine
	After        Sample   // idle again
	Took         time.Duration

	o        Options
	heldAt   time.Time
	operator operator
	home     string
	client   *http.Client
}

// Run powers the machines on, holds the load, ends everything and reports. The
// error names what a machine must never see, and what ipxe-cp did not give back.
func Run(ctx context.Context, o Options) (_ *Fleet, err error) {
	f := &Fleet{Crowd: NewCrowd(o.Machines), o: o, client: &http.Client{Timeout: 2 * time.Minute}}
	f.Firmware, f.Crowd.Run = o.Firmware, o.Run
	defer func() { err = errors.Join(err, f.close()) }()
	if err := f.open(); err != nil {
		return f, err
	}
	if f.Before, err = f.idle(ctx, nil); err != nil {
		return f, err
	}
	if err := f.load(ctx); err != nil {
		return f, err
	}
	if err := f.compare(ctx); err != nil {
		return f, err
	}
	if f.After, err = f.idle(ctx, f.back); err != nil {
		return f, err
	}
	for _, leak := range f.leaks() {
		f.Tally.Fault("leak", leak)
	}
	f.report(o.Out)
	return f, f.Tally.Err()
}

func (f *Fleet) open() (err error) {
	if f.home, err = os.MkdirTemp("", "ipxe-fleet-"); err != nil {
		return err
	}
	files := Files{Workers: f.o.Known, Agent: "st-1"}
	for i := range f.o.Agents {
		t := f.o.Trouble
		if i > 0 {
			t.Flap = 0
		}
		n, err := StartStorage(fmt.Sprintf("st-%d", i+1), t)
		if err != nil {
			return err
		}
		f.Nodes = append(f.Nodes, n)
		files.Agents += n.Entry()
	}
	if err := files.Write(f.home); err != nil {
		return err
	}
	if f.DHCP, err = StartDHCP(filepath.Join(f.home, "dhcp"), filepath.Join(f.home, HostsFile)); err != nil {
		return err
	}
	f.Hostname = f.DHCP.Hostname
	f.ControlPlane, err = StartControlPlane(f.o.Program, f.home,
		"IPXE_CP_DNSMASQ_PID_FILE="+f.DHCP.PIDFile, fmt.Sprintf("IPXE_CP_MAX_WORKERS=%d", 2*f.o.Machines+1000))
	if err == nil {
		f.URL = f.ControlPlane.URL
	}
	return err
}

// load ends when the load was held long enough, or with ctx.
func (f *Fleet) load(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { f.watch(ctx, max(5*time.Second, (f.o.Within+f.o.Hold)/20), f.o.Out) })
	o := &f.operator
	*o = operator{url: f.URL, tally: f.Tally, nodes: f.Nodes, names: f.Names, client: f.client}
	for range f.o.Consoles {
		wg.Go(func() { o.poll(ctx) })
	}
	if len(f.Nodes) > 0 {
		wg.Go(func() { o.work(ctx) })
	}
	start := time.Now()
	named, off := f.PowerOn(ctx, f.o.Within)
	defer func() { cancel(); <-off }()
	select {
	case <-named:
		f.Took = time.Since(start)
	case <-ctx.Done():
		return fmt.Errorf("%d of %d machines have a name: %w", f.Tally.Named.Count(), f.o.Machines, ctx.Err())
	}
	fmt.Fprintf(f.o.Out, "all machines have a name after %s\n", f.Took.Round(10*time.Millisecond))
	f.heldAt = time.Now()
	held, release := context.WithTimeout(ctx, f.o.Hold)
	defer release()
	if f.o.Edit {
		(&editor{home: f.home, crowd: f.Crowd}).edit(held)
	}
	<-held.Done()
	return ctx.Err()
}

func (f *Fleet) close() error {
	var errs []error
	if f.ControlPlane != nil {
		errs = append(errs, f.ControlPlane.Stop())
	}
	if f.DHCP != nil {
		f.DHCP.Stop()
	}
	for _, n := range f.Nodes {
		n.Stop()
	}
	return errors.Join(append(errs, os.RemoveAll(f.home))...)
}
