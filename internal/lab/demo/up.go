package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// up starts the demo's process in the background and waits until the machine
// has registered itself. A demo that runs already is shown again.
func up() error {
	if os.Geteuid() != 0 {
		return errors.New("network namespaces need root")
	}
	d, err := dir()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(d, 0o755); err != nil {
		return err
	}
	held, ok, err := lock(d)
	if err != nil {
		return err
	}
	if !ok {
		return showRunning(d)
	}
	defer held.Close()
	if err := clear(d); err != nil {
		return err
	}
	fmt.Println("Building the demo's network and starting everything in it…")
	child, err := spawn(d, held)
	if err != nil {
		return err
	}
	return wait(d, child)
}

func showRunning(d string) error {
	s, err := readState(d)
	if errors.Is(err, os.ErrNotExist) {
		return errors.New("another \"demo up\" is at work; wait for it, or end it with: make demo-down")
	}
	if err != nil {
		return err
	}
	fmt.Println("The demo is up already.")
	fmt.Print(whatToTry(s))
	return nil
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

// wait returns when the demo answers. An interrupt ends the demo, too.
func wait(d string, child *exec.Cmd) error {
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			log, _ := os.ReadFile(filepath.Join(d, logFile)) // an empty one says as little
			return fmt.Errorf("start: %w\n%s", err, log)
		case <-interrupted:
			_ = child.Process.Signal(syscall.SIGTERM) // ended meanwhile is as good
			<-ended
			return errors.New("interrupted; nothing is left running")
		case <-tick.C:
			if s, err := readState(d); err == nil && s.PID == child.Process.Pid {
				fmt.Print(whatToTry(s))
				return nil
			}
		}
	}
}
