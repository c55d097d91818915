package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/site"
)

// The one machine of the demo.
const (
	machine    = "worker-01"
	machineMAC = "52:54:00:00:00:01"
)

// inheritedLock is the first file after standard error. No program in the lab
// may hold it: one that outlives a killed demo would pass for the demo.
const inheritedLock = 3

// serve runs the demo until a signal ends it; the lab takes itself down then.
func serve() error {
	d, err := dir()
	if err != nil {
		return err
	}
	syscall.CloseOnExec(inheritedLock)
	l, err := lab.New()
	if err != nil {
		return err
	}
	if err := bring(l, d); err != nil {
		return errors.Join(err, l.Close())
	}
	select {} // a signal's handler in the lab closes it and exits
}

// bring brings the demo up. Its state is there from the first step on, so that
// demo down finds it at any time.
func bring(l *lab.Lab, d string) error {
	started, err := lab.StartTime(os.Getpid())
	if err != nil {
		return err
	}
	s := state{PID: os.Getpid(), Started: started, Lab: l.Dir}
	if err := s.write(d); err != nil {
		return err
	}
	if err := os.Symlink(l.Dir, filepath.Join(d, labLink)); err != nil {
		return err
	}
	product, err := site.Start(l)
	if err != nil {
		return err
	}
	if err := writeMasters(product); err != nil {
		return err
	}
	fmt.Println("A control plane, two storage nodes, dnsmasq and nginx run. A machine without a disk is switched on…")
	if s.Booted, err = boot(product); err != nil {
		return err
	}
	if s.Address, err = forward(product.CP, site.Address); err != nil {
		return err
	}
	if s.Console, err = forward(product.CP, site.WebAddress); err != nil {
		return err
	}
	return s.write(d)
}
