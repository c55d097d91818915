package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

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
	s, err := start(l, d)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	if err := s.write(d); err != nil {
		return errors.Join(err, l.Close())
	}
	select {} // a signal's handler in the lab closes it and exits
}

func start(l *lab.Lab, d string) (state, error) {
	product, err := site.Start(l)
	if err != nil {
		return state{}, err
	}
	for i, master := range []string{"ubuntu", "debian"} {
		n := product.Nodes[i]
		path := filepath.Join(n.Images, master+"_tpl_v1.img")
		if err := lab.WriteGuestDisk(path, master+" from "+n.ID, lab.BIOS); err != nil {
			return state{}, err
		}
	}
	m, err := l.AddMachine(machine, machineMAC, lab.BIOS)
	if err != nil {
		return state{}, err
	}
	if err := m.PowerOn(); err != nil {
		return state{}, err
	}
	if _, err := m.Screen.WaitFor("iPXE boot menu: "+machine, 2*time.Minute); err != nil {
		return state{}, fmt.Errorf("boot %s: %w", machine, err)
	}
	address, err := forward(product.CP, site.Address)
	if err != nil {
		return state{}, err
	}
	console, err := forward(product.CP, site.WebAddress)
	if err != nil {
		return state{}, err
	}
	if err := os.Symlink(l.Dir, filepath.Join(d, labLink)); err != nil {
		return state{}, err
	}
	started, err := lab.StartTime(os.Getpid())
	return state{PID: os.Getpid(), Started: started, Address: address, Console: console, Lab: l.Dir}, err
}
