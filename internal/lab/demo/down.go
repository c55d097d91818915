package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"ipxe-all-ready/internal/lab"
)

// down ends the demo and removes what it left, also when it was killed before.
func down() error {
	d, err := dir()
	if err != nil {
		return err
	}
	if _, err := os.Stat(d); errors.Is(err, os.ErrNotExist) {
		fmt.Println("No demo is running.")
		return lab.Sweep()
	}
	held, err := end(d)
	if err != nil {
		return err
	}
	defer held.Close() // nobody starts one while this is removed
	if err := lab.Sweep(); err != nil {
		return err
	}
	if err := os.RemoveAll(d); err != nil {
		return err
	}
	fmt.Println("The demo is down; nothing of it is left.")
	return nil
}

// end asks the demo's process to take the lab down, and waits for it. The lock
// tells when it has gone; it is ours then.
func end(d string) (*os.File, error) {
	deadline := time.Now().Add(time.Minute)
	asked := false
	for {
		held, free, err := lock(d)
		if err != nil {
			return nil, err
		}
		if free {
			return held, nil
		}
		if s, err := readState(d); err == nil && s.alive() && !asked {
			if err := syscall.Kill(s.PID, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
				return nil, fmt.Errorf("end demo: %w", err)
			}
			asked = true
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("end demo: it does not end; its log is %s", filepath.Join(d, logFile))
		}
		time.Sleep(100 * time.Millisecond)
	}
}
