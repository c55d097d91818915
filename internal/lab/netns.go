package lab

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Do runs f on a thread that is in the host's network. Sockets that f opens
// stay there, whoever uses them later.
func (h *Host) Do(f func() error) error {
	done := make(chan error, 1)
	go func() { done <- h.do(f) }()
	return <-done
}

func (h *Host) do(f func() error) error {
	runtime.LockOSThread()
	home, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("enter network %s: %w", h.ns, err)
	}
	defer home.Close()
	away, err := os.Open(filepath.Join(netnsDir, h.ns))
	if err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("enter network %s: %w", h.ns, err)
	}
	defer away.Close()
	if err := unix.Setns(int(away.Fd()), unix.CLONE_NEWNET); err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("enter network %s: %w", h.ns, err)
	}
	err = f()
	if back := unix.Setns(int(home.Fd()), unix.CLONE_NEWNET); back != nil {
		// The thread stays locked and so ends with this goroutine: no other
		// one may ever run in the wrong network.
		return fmt.Errorf("leave network %s: %w", h.ns, back)
	}
	runtime.UnlockOSThread()
	return err
}

// Dial connects from inside the host's network. Address is an IP literal.
func (h *Host) Dial(ctx context.Context, network, address string) (conn net.Conn, err error) {
	err = h.Do(func() error {
		var d net.Dialer
		conn, err = d.DialContext(ctx, network, address)
		return err
	})
	return conn, err
}

// Listen opens a TCP port inside the host's network.
func (h *Host) Listen(address string) (l net.Listener, err error) {
	err = h.Do(func() error {
		l, err = net.Listen("tcp", address)
		return err
	})
	return l, err
}

// HTTPClient speaks HTTP from inside the host's network.
func (h *Host) HTTPClient(timeout time.Duration) *http.Client {
	return &http.Client{Timeout: timeout, Transport: &http.Transport{DialContext: h.Dial, DisableKeepAlives: true}}
}

// PIDOf finds the one process of that name in the host's network, whoever
// started it.
func (h *Host) PIDOf(program string) (int, error) {
	out, err := run("ip", "netns", "pids", h.ns)
	if err != nil {
		return 0, err
	}
	var found []int
	for _, s := range strings.Fields(out) {
		comm, err := os.ReadFile(filepath.Join("/proc", s, "comm"))
		if err != nil || strings.TrimSpace(string(comm)) != program {
			continue // gone meanwhile, or another one
		}
		pid, err := strconv.Atoi(s)
		if err != nil {
			return 0, fmt.Errorf("find %s in %s: %w", program, h.ns, err)
		}
		found = append(found, pid)
	}
	if len(found) != 1 {
		return 0, fmt.Errorf("find %s in %s: %d processes have that name", program, h.ns, len(found))
	}
	return found[0], nil
}
