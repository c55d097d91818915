package lab

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// Process is a program running in the lab, its output kept in a file.
type Process struct {
	Name string
	Log  *Log
	cmd  *exec.Cmd
	stop syscall.Signal // what ends it in order
	done chan struct{}
}

// Start runs a program in the host's network. Its standard output and error go
// to NAME.log in the lab's folder, after those of an earlier process of that
// name. The lab ends it at the latest in Close.
func (h *Host) Start(name string, env []string, program string, args ...string) (*Process, error) {
	if filepath.Base(program) == program {
		if err := need(program); err != nil {
			return nil, err
		}
	}
	path := h.lab.Path(name + ".log")
	out, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	defer out.Close()
	// "ip netns exec" becomes the program, so the process we start is the one
	// that we signal later.
	cmd := exec.Command("ip", append([]string{"netns", "exec", h.ns, program}, args...)...)
	cmd.Dir = h.lab.Dir
	// Nothing else of the caller's environment: a variable that configures the
	// real product on this host must not configure the one under test.
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + h.lab.Dir}, env...)
	cmd.Stdout, cmd.Stderr = out, out
	// A group of its own keeps a terminal's Ctrl-C away from it: Close ends it
	// in order. If we are killed, so is it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}

	h.lab.mu.Lock()
	defer h.lab.mu.Unlock()
	if h.lab.closed {
		return nil, fmt.Errorf("start %s: the lab is closed", name)
	}
	log := OpenLog(path) // before the start: a quick program has said something by the time we look
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p := &Process{Name: name, Log: log, cmd: cmd, stop: syscall.SIGTERM, done: make(chan struct{})}
	go func() { _ = cmd.Wait(); close(p.done) }() // ProcessState keeps how it ended
	h.lab.procs = append(h.lab.procs, p)
	h.lab.undo = append(h.lab.undo, sync.OnceValue(p.Stop))
	return p, nil
}

// PID is the program's process number.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exited reports whether the program has ended, and how.
func (p *Process) Exited() (string, bool) {
	select {
	case <-p.done:
		return p.cmd.ProcessState.String(), true
	default:
		return "", false
	}
}

// Stop asks the program to end, and ends it when it does not.
func (p *Process) Stop() error { return p.end(p.stop) }

// Kill ends the program without asking, as a power failure would.
func (p *Process) Kill() error { return p.end(syscall.SIGKILL) }

func (p *Process) end(first syscall.Signal) error {
	for _, sig := range []syscall.Signal{first, syscall.SIGKILL} {
		if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("stop %s: %w", p.Name, err)
		}
		select {
		case <-p.done:
			return nil
		case <-time.After(10 * time.Second):
		}
	}
	return fmt.Errorf("stop %s: process %d does not end", p.Name, p.PID())
}

// Processes lists everything started so far, ended or not.
func (l *Lab) Processes() []*Process {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]*Process(nil), l.procs...)
}
