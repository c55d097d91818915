// Command sim powers on a fleet of simulated machines against one real ipxe-cp
// process on this host and tells what they saw. No root is needed.
//
//	go run ./internal/lab/fleet/sim                        10,000 new machines within a minute
//	go run ./internal/lab/fleet/sim -known 10000           the same, of a site that knows them
//	go run ./internal/lab/fleet/sim -hold 10m -flap 20s -edit
//
// It ends with a status other than 0 when a machine saw what it must never see:
// no answer, an error, an empty script, another machine's name; and when ipxe-cp,
// idle again, holds more goroutines or files than before, or its memory grew while
// the load was held.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/fleet"
)

func main() {
	fleet.PlayRole()
	o := fleet.Options{Out: os.Stdout}
	flag.StringVar(&o.Program, "cp", "", "the control `program` (bin/ipxe-cp)")
	flag.IntVar(&o.Machines, "machines", 10000, "how many machines")
	flag.IntVar(&o.Known, "known", 0, "how many of them the ledger has before, with a disk each")
	flag.DurationVar(&o.Within, "within", time.Minute, "they are powered on, evenly")
	flag.DurationVar(&o.Hold, "hold", 0, "they go on rebooting for that long after the last was named")
	flag.DurationVar(&o.Firmware, "firmware", 15*time.Second, "from reset to the question, half more or less")
	flag.DurationVar(&o.Run, "run", time.Minute, "a machine with a disk runs before it reboots, half more or less")
	flag.IntVar(&o.Agents, "agents", 4, "how many storage nodes, on which operators make and delete disks meanwhile")
	flag.DurationVar(&o.Trouble.Delay, "delay", 50*time.Millisecond, "of each answer of a node")
	flag.Float64Var(&o.Trouble.Fail, "fail", 0.02, "share of a node's calls that fail")
	flag.Float64Var(&o.Trouble.Hang, "hang", 0, "share of a node's calls that are never answered")
	flag.DurationVar(&o.Trouble.Flap, "flap", 0, "the first node is up for that long, then away as long (0: never away)")
	flag.IntVar(&o.Consoles, "consoles", 3, "that poll")
	flag.BoolVar(&o.Edit, "edit", false, "ledgers are edited by hand while the load is held")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "sim:", err)
		os.Exit(1)
	}
}

func run(o fleet.Options) error {
	if o.Program == "" {
		root, err := lab.Root()
		if err != nil {
			return err
		}
		o.Program = filepath.Join(root, "bin", "ipxe-cp")
	}
	if o.Machines < 1 || o.Known > o.Machines || (o.Known > 0 && o.Agents < 1) {
		return fmt.Errorf("%d machines, %d of them known, %d storage nodes: known ones are among the machines and have a node", o.Machines, o.Known, o.Agents)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	_, err := fleet.Run(ctx, o)
	return err
}
