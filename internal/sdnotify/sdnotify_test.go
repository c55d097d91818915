package sdnotify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var quiet = slog.New(slog.DiscardHandler)

// manager is the socket that systemd listens on.
type manager struct {
	*net.UnixConn
	t *testing.T
}

func newManager(t *testing.T, watchdog time.Duration) manager {
	t.Helper()
	path := filepath.Join(t.TempDir(), "notify")
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	t.Setenv("NOTIFY_SOCKET", path)
	t.Setenv("WATCHDOG_USEC", "")
	if watchdog > 0 {
		t.Setenv("WATCHDOG_USEC", fmt.Sprint(watchdog.Microseconds()))
		t.Setenv("WATCHDOG_PID", fmt.Sprint(os.Getpid()))
	}
	return manager{c, t}
}

// next is the next datagram, within patience; "" when none came.
func (m manager) next(patience time.Duration) string {
	m.t.Helper()
	_ = m.SetReadDeadline(time.Now().Add(patience))
	buf := make([]byte, 4096)
	n, err := m.Read(buf)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return ""
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return string(buf[:n])
}

// run starts Run and gives what ends it and waits for that.
func run(t *testing.T, alive func(context.Context) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Run(ctx, alive, quiet)
	}()
	return func() {
		cancel()
		<-ended
	}
}

func TestSystemdHearsOfADaemonWhenItServesAndWhenItStops(t *testing.T) {
	m := newManager(t, 0)
	var up atomic.Bool
	stop := run(t, func(context.Context) error {
		if !up.Load() {
			return errors.New("not yet")
		}
		return nil
	})
	if got := m.next(200 * time.Millisecond); got != "" {
		t.Fatalf("it does not serve yet and says %q", got)
	}
	up.Store(true)
	if got, want := m.next(20*time.Second), fmt.Sprintf("READY=1\nMAINPID=%d\nSTATUS=serving", os.Getpid()); got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
	stop()
	if got, want := m.next(20*time.Second), "STOPPING=1\nSTATUS=stopping"; got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
}

func TestTheWatchdogHearsOfADaemonOnlyWhileItIsAlive(t *testing.T) {
	m := newManager(t, 60*time.Millisecond)
	var dead atomic.Bool
	stop := run(t, func(context.Context) error {
		if dead.Load() {
			return errors.New("it hangs")
		}
		return nil
	})
	defer stop()
	for _, want := range []string{"READY=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1"} {
		if got := m.next(20 * time.Second); !strings.HasPrefix(got, want) {
			t.Fatalf("got %q, want %s", got, want)
		}
	}
	dead.Store(true)
	quietly := 0
	for range 50 { // what was under way when it died may still come
		if m.next(100*time.Millisecond) == "" {
			quietly++
		}
		if quietly == 3 {
			break
		}
	}
	if quietly < 3 {
		t.Fatal("signs of life of a dead daemon")
	}
	dead.Store(false)
	if got := m.next(20 * time.Second); got != "WATCHDOG=1" {
		t.Fatalf("it lives again and says %q", got)
	}
}

func TestADaemonThatNeverServesIsNeverReady(t *testing.T) {
	m := newManager(t, 0)
	stop := run(t, func(context.Context) error { return errors.New("no port") })
	stop()
	var all []string
	for got := m.next(20 * time.Second); got != ""; got = m.next(100 * time.Millisecond) {
		all = append(all, got)
	}
	if !slices.Equal(all, []string{"STOPPING=1\nSTATUS=stopping"}) {
		t.Fatalf("got %q", all)
	}
}

func TestWithoutSystemdNothingIsAskedNorSaid(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	Run(t.Context(), func(context.Context) error {
		t.Error("it was asked whether it is alive")
		return nil
	}, quiet)
}

func TestAStandbyIsReadyAndAliveAndToldOfNoEnd(t *testing.T) {
	m := newManager(t, 60*time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); Standby(ctx, quiet) }()
	for _, want := range []string{fmt.Sprintf("READY=1\nMAINPID=%d\nSTATUS=standing by: ", os.Getpid()), "WATCHDOG=1", "WATCHDOG=1"} {
		if got := m.next(20 * time.Second); !strings.HasPrefix(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
	cancel()
	<-ended
	for got := m.next(100 * time.Millisecond); got != ""; got = m.next(100 * time.Millisecond) {
		if got != "WATCHDOG=1" {
			t.Fatalf("it says %q", got)
		}
	}
}
