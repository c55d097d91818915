// Package tgtd starts tgtd and keeps it running. The process is in a session of
// its own and outlives the agent; the next agent adopts it by its control port.
package tgtd

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ipxe-all-ready/internal/agent/target/stgt"
	"ipxe-all-ready/internal/fault"
)

// Server is what the supervisor asks of a running tgtd.
type Server interface {
	// Portals fails with code stgt.CodeDown when no tgtd is there.
	Portals(ctx context.Context) ([]string, error)
}

// Supervisor of one tgtd.
type Supervisor struct {
	Path        string // of tgtd
	ControlPort uint16
	Portal      string // address:port; empty: tgtd's default, port 3260 of every address
	Output      string // file that takes what tgtd says
	Server      Server
	Log         *slog.Logger
	Interval    time.Duration // between two looks; zero is one second
}

// The pause between two starts doubles from the first to the last.
const (
	firstPause = time.Second
	lastPause  = time.Minute
)

// startTime is how long tgtd may take from its start to its portal.
const startTime = 10 * time.Second

// Run starts tgtd whenever none is there, until ctx ends. It never ends a tgtd
// that it did not start, nor one that serves.
func (s *Supervisor) Run(ctx context.Context) {
	interval := s.Interval
	if interval == 0 {
		interval = time.Second
	}
	pause, adopted := firstPause, false
	for {
		wait := interval
		_, err := s.Server.Portals(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && !adopted:
			s.Log.Info("tgtd adopted", "control_port", s.ControlPort)
			adopted, pause = true, firstPause
		case err == nil:
			pause = firstPause
		case fault.CodeOf(err) == stgt.CodeDown:
			if err := s.start(ctx); err != nil && ctx.Err() == nil {
				s.Log.Error("tgtd does not come up", "error", err, "again_in", pause)
				wait, pause = pause, min(2*pause, lastPause)
			} else {
				adopted = true
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// start runs tgtd and waits until it serves its portal. It is no error to tgtd
// when it cannot bind that: then it is ended, to be tried again. A start is
// seen through when the agent stops meanwhile: machines may be on it already.
func (s *Supervisor) start(ctx context.Context) error {
	if err := s.portalFree(); err != nil {
		return err
	}
	out, err := s.output()
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command(s.Path, s.args()...) // not CommandContext: it outlives us
	cmd.Stdout, cmd.Stderr = out, out        // a file: a pipe would break with the agent's end
	cmd.Dir, cmd.Env = "/", stgt.Environ()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.raiseFiles(cmd.Process.Pid)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // ends with the process, or with ours
	if err := s.serves(context.WithoutCancel(ctx), ended); err != nil {
		_ = cmd.Process.Kill() // tgtd ignores SIGTERM
		return err
	}
	s.Log.Info("tgtd started", "pid", cmd.Process.Pid, "control_port", s.ControlPort, "portal", s.Portal)
	return nil
}

// output is where tgtd talks to; on a full disk it is not heard, and serves. A
// named pipe that nobody reads is an error and not waited for.
func (s *Supervisor) output() (*os.File, error) {
	out, err := os.OpenFile(s.Output, os.O_WRONLY|os.O_CREATE|os.O_APPEND|syscall.O_NONBLOCK, 0o640)
	if err == nil {
		return out, nil
	}
	s.Log.Warn("what tgtd says is lost", "error", err)
	return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
}

// portalFree finds out before tgtd does, which would serve another portal then.
func (s *Supervisor) portalFree() error {
	portal := cmp.Or(s.Portal, ":3260")
	ln, err := net.Listen("tcp", portal)
	if err != nil {
		return fmt.Errorf("portal %s is not to be had: %w", portal, err)
	}
	return ln.Close()
}

// args keep few threads a LUN, or hundreds of disks exhaust the machine, and
// ask initiators for a sign of life, or a dead one keeps its disk for ever.
func (s *Supervisor) args() []string {
	iscsi := "nop_interval=5,nop_count=3"
	if s.Portal != "" {
		iscsi = "portal=" + s.Portal + "," + iscsi
	}
	return []string{"-f", "-C", strconv.Itoa(int(s.ControlPort)), "-t", "1", "--iscsi", iscsi}
}

func (s *Supervisor) serves(ctx context.Context, ended <-chan error) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		portals, err := s.Server.Portals(ctx)
		switch {
		case err == nil && len(portals) == 0:
			return fmt.Errorf("tgtd could bind no portal; see %s", s.Output)
		case err == nil && s.Portal != "" && !slices.Contains(portals, s.Portal):
			return fmt.Errorf("tgtd could not bind %s and serves %s instead; see %s", s.Portal, strings.Join(portals, ", "), s.Output)
		case err == nil:
			return nil
		}
		select {
		case how := <-ended:
			return fmt.Errorf("tgtd ended at once: %v; see %s", how, s.Output)
		case <-ctx.Done():
			return fmt.Errorf("tgtd does not answer: %w", err)
		case <-tick.C:
		}
	}
}
