//go:build integration

// Package stgttest starts real, private tgtds for tests: each with a control
// port and a portal of its own, so that they run beside each other and beside
// the system's.
package stgttest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"ipxe-all-ready/internal/agent/target/stgt"
)

// Tgtd is one server.
type Tgtd struct {
	ControlPort uint16
	Portal      string
	cmd         *exec.Cmd
}

// Start runs a tgtd until the end of the test.
func Start(t *testing.T) *Tgtd {
	t.Helper()
	d := &Tgtd{ControlPort: FreeControlPort(t), Portal: FreePortal(t)}
	d.Run(t)
	return d
}

// Run starts the server anew, after Kill, on the same ports.
func (d *Tgtd) Run(t *testing.T) {
	t.Helper()
	cmd := exec.Command("tgtd", "-f", "-C", strconv.Itoa(int(d.ControlPort)), "-t", "1",
		"--iscsi", "portal="+d.Portal+",nop_interval=5,nop_count=3")
	if err := cmd.Start(); err != nil {
		t.Fatalf("start tgtd (Debian package tgt): %v", err)
	}
	d.cmd = cmd
	t.Cleanup(func() { stop(cmd) })
	Await(t, d.Backend())
}

// Kill ends the server as a crash would.
func (d *Tgtd) Kill() { stop(d.cmd) }

// Pid of the running server.
func (d *Tgtd) Pid() int { return d.cmd.Process.Pid }

// stop is SIGKILL: tgtd ignores the others.
func stop(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// Backend drives the server.
func (d *Tgtd) Backend() *stgt.Backend {
	return stgt.New(stgt.Options{Tgtadm: "tgtadm", ControlPort: d.ControlPort, Portal: d.Portal})
}

// Await waits until the server answers on its portal.
func Await(t *testing.T, b *stgt.Backend) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		_, err := b.Ping(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("tgtd does not come up: %v", err)
		case <-tick.C:
		}
	}
}

// FreeControlPort finds a number that no tgtd of this host uses; tgtadm takes
// none above 32767. The socket is removed at the end of the test: tgtd leaves
// it when it is killed.
func FreeControlPort(t *testing.T) uint16 {
	t.Helper()
	for range 100 {
		n := uint16(2000 + rand.IntN(30000))
		socket := fmt.Sprintf("/var/run/tgtd/socket.%d", n)
		if _, err := os.Lstat(socket); !errors.Is(err, os.ErrNotExist) {
			continue
		}
		t.Cleanup(func() {
			_ = os.Remove(socket)
			_ = os.Remove(socket + ".lock")
		})
		return n
	}
	t.Fatal("no free tgtd control port")
	return 0
}

// FreePortal is a loopback address that nobody listens on, nor will until the
// test does: an address of the test's own, and no port that the kernel hands out.
func FreePortal(t *testing.T) string {
	t.Helper()
	for range 100 {
		portal := fmt.Sprintf("127.%d.%d.%d:%d", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254), 10000+rand.IntN(20000))
		if ln, err := net.Listen("tcp", portal); err == nil {
			_ = ln.Close()
			return portal
		}
	}
	t.Fatal("no free portal")
	return ""
}

// Admin runs tgtadm by hand against the server.
func (d *Tgtd) Admin(t *testing.T, args ...string) string {
	t.Helper()
	return Output(t, "tgtadm", append([]string{"-C", strconv.Itoa(int(d.ControlPort)), "--lld", "iscsi"}, args...)...)
}

// Output runs a program that must succeed and gives what it printed.
func Output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}
