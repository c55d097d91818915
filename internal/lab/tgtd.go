package lab

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"strconv"
	"syscall"
	"time"
)

// Tgtd is an iSCSI target server with a control port of its own, so that it
// gets on with every other one on this host.
type Tgtd struct {
	*Process
	ControlPort int
	Portal      netip.AddrPort
	host        *Host
}

// FreeControlPort finds a control port that no tgtd on this host uses. The
// sockets are named by number in one folder, whatever the network namespace.
// The lab removes the socket at its end: tgtd never does when it is killed.
func (l *Lab) FreeControlPort() (int, error) {
	for range 100 {
		n := 1000 + rand.IntN(31000) // tgtd keeps 16 bits of it
		if _, err := os.Lstat(controlSocket(n)); !errors.Is(err, os.ErrNotExist) {
			continue
		}
		l.onClose(func() error { return removeControlSocket(n) })
		// So that Sweep knows of the socket, too.
		return n, os.WriteFile(l.Path(controlPortFile+strconv.Itoa(n)), nil, 0o644)
	}
	return 0, errors.New("find tgtd control port: all tried ones are taken")
}

func controlSocket(n int) string { return fmt.Sprintf("/var/run/tgtd/socket.%d", n) }

// controlPortFile starts the names of files in the lab's folder that hold the
// control ports it uses.
const controlPortFile = "control-port-"

func removeControlSocket(n int) error {
	var errs []error
	for _, path := range []string{controlSocket(n), controlSocket(n) + ".lock"} {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// StartTgtd runs tgtd on h, with its portal on the host's address.
func (h *Host) StartTgtd(name string, controlPort int) (*Tgtd, error) {
	t := &Tgtd{ControlPort: controlPort, Portal: netip.AddrPortFrom(h.Addr, 3260), host: h}
	var err error
	// One thread a LUN, and NOP-outs so that the session of a machine that was
	// switched off does not stay for ever.
	if t.Process, err = h.Start(name, nil, "tgtd", "-f", "-C", strconv.Itoa(controlPort), "-t", "1",
		"--iscsi", fmt.Sprintf("portal=%s,nop_interval=5,nop_count=3", t.Portal)); err != nil {
		return nil, err
	}
	t.stop = syscall.SIGKILL // it takes no notice of any other
	// tgtd says that it is ready even when its portal could not be bound.
	err = Poll(Patience, func() error {
		if how, ended := t.Exited(); ended {
			return fmt.Errorf("start tgtd: it ended: %s", how)
		}
		if _, err := t.Admin("--mode", "system", "--op", "show"); err != nil {
			return err
		}
		return h.Reachable(t.Portal)
	})
	return t, err
}

// Admin runs tgtadm against this server.
func (t *Tgtd) Admin(args ...string) (string, error) {
	return run("tgtadm", append([]string{"-C", strconv.Itoa(t.ControlPort), "--lld", "iscsi"}, args...)...)
}

// Export makes a target of one disk file, open to every initiator.
func (t *Tgtd) Export(tid int, iqn, file string) error {
	id := strconv.Itoa(tid)
	for _, args := range [][]string{
		{"--mode", "target", "--op", "new", "--tid", id, "--targetname", iqn},
		{"--mode", "logicalunit", "--op", "new", "--tid", id, "--lun", "1", "--backing-store", file},
		{"--mode", "target", "--op", "bind", "--tid", id, "--initiator-address", "ALL"},
	} {
		if _, err := t.Admin(args...); err != nil {
			return fmt.Errorf("export %s: %w", iqn, err)
		}
	}
	return nil
}

// Reachable tries a TCP connection from inside the host's network.
func (h *Host) Reachable(addr netip.AddrPort) error {
	ctx, cancel := timeoutContext(time.Second)
	defer cancel()
	conn, err := h.Dial(ctx, "tcp", addr.String())
	if err != nil {
		return err
	}
	return conn.Close()
}
