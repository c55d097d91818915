package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"ipxe-all-ready/internal/lab"
)

// The demo's files in the checkout. The lock is held by the process that runs
// the demo for as long as it lives, so a stale state cannot pass for a demo.
const (
	lockFile  = "lock"
	stateFile = "state.json"
	logFile   = "demo.log"
	labLink   = "lab" // to the lab's folder with all logs
)

// state tells the other commands where the demo is.
type state struct {
	PID     int    `json:"pid"`
	Started string `json:"started"` // with PID it names the process for good
	Address string `json:"address"` // of the control plane, on this host; empty until the demo is up
	Console string `json:"console"` // of nginx, with the browser console and the files, on this host; empty until then
	Lab     string `json:"lab"`
	Booted  string `json:"booted"` // what the system on the machine's disk said of its first boot
}

func dir() (string, error) {
	root, err := lab.Root()
	return filepath.Join(root, ".demo"), err
}

func readState(dir string) (s state, err error) {
	b, err := os.ReadFile(filepath.Join(dir, stateFile))
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(b, &s)
}

// write makes the state visible at once or not at all.
func (s state) write(dir string) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	tmp := filepath.Join(dir, stateFile+".new")
	if err := os.WriteFile(tmp, append(b, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, filepath.Join(dir, stateFile))
}

// alive reports whether the process that wrote the state is still that one.
func (s state) alive() bool {
	started, err := lab.StartTime(s.PID)
	return err == nil && started == s.Started
}

// up reports whether the demo has come up.
func (s state) up() bool { return s.Console != "" && s.alive() }

// running finds the demo that a command is to work on.
func running() (state, error) {
	d, err := dir()
	if err != nil {
		return state{}, err
	}
	s, err := readState(d)
	if errors.Is(err, os.ErrNotExist) || err == nil && !s.up() {
		return state{}, errors.New("no demo is running; make demo starts one")
	}
	return s, err
}

// lock takes the demo's lock. When another process has it, ok is false.
func lock(dir string) (f *os.File, ok bool, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, false, err
	}
	f, err = os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, false, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, false, f.Close()
	}
	if err != nil {
		return nil, false, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	if !stands(f) {
		return nil, false, f.Close() // demo down has just removed it: what we hold is nobody's
	}
	return f, true, nil
}

func stands(f *os.File) bool {
	ours, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(f.Name())
	return err == nil && os.SameFile(ours, named)
}
