package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"ipxe-all-ready/internal/lab"
)

// tick is how often a file is looked at that another process writes.
const tick = 100 * time.Millisecond

// up starts the demo's process in the background and waits until the machine
// has booted from its disk. A demo that runs already is shown again; one that is
// coming up, since its demo up was killed, is waited for.
func up() error {
	if os.Geteuid() != 0 {
		return errors.New("network namespaces need root")
	}
	d, err := dir()
	if err != nil {
		return err
	}
	waiting := false
	for {
		held, ok, err := lock(d)
		if err != nil {
			return err
		}
		if ok {
			defer held.Close()
			return begin(d, held)
		}
		if s, err := readState(d); err == nil && s.up() {
			fmt.Println("The demo is up already.")
			fmt.Print(whatToTry(s))
			return nil
		}
		if !waiting {
			fmt.Println("Another \"demo up\" is at work; waiting for it…")
			waiting = true
		}
		time.Sleep(tick)
	}
}

func begin(d string, held *os.File) error {
	if err := clear(d); err != nil {
		return err
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	fmt.Println("Building the demo's network and starting everything in it…")
	child, err := spawn(d, held)
	if err != nil {
		return err
	}
	return wait(d, child, interrupted)
}

// clear removes what a demo left that was killed. The lock stays: it is ours.
func clear(d string) error {
	for _, name := range []string{stateFile, logFile, labLink} {
		if err := os.RemoveAll(filepath.Join(d, name)); err != nil {
			return err
		}
	}
	return nil
}

// spawn runs this program's serve in a session of its own, so that it outlives
// us and no terminal's Ctrl-C meets it. It inherits the lock.
func spawn(d string, held *os.File) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(d, logFile))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(self, "serve")
	cmd.Dir = filepath.Dir(d)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{held}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd, cmd.Start()
}

// wait returns when the demo answers and passes on what it tells until then. An
// interrupt ends the demo, too.
func wait(d string, child *exec.Cmd, interrupted <-chan os.Signal) error {
	log, err := os.Open(filepath.Join(d, logFile))
	if err != nil {
		return err
	}
	defer log.Close()
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case err := <-ended:
			rest, _ := io.ReadAll(log) // an empty one says as little
			return fmt.Errorf("start: %w\n%s", err, rest)
		case <-interrupted:
			_ = child.Process.Signal(syscall.SIGTERM) // ended meanwhile is as good
			<-ended
			// It may have made something at the very moment of its end.
			return errors.Join(lab.Sweep(), errors.New("interrupted; nothing is left running"))
		case <-ticker.C:
			s, err := readState(d)
			_, _ = io.Copy(os.Stdout, log) // what is not told now is told at the next tick
			if err == nil && s.PID == child.Process.Pid && s.up() {
				fmt.Print(whatToTry(s))
				return nil
			}
		}
	}
}
