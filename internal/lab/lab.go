package lab

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
)

// Lab is one isolated network with everything that runs in it.
type Lab struct {
	Dir string // files of this lab: logs, configuration, images

	name   string // first part of every namespace's name
	sw     *Host  // the namespace that is the switch
	ports  int
	taps   int
	ending sync.Mutex // held by the Close that is at work
	mu     sync.Mutex
	closed bool
	undo   []func() error
	procs  []*Process
}

var labs atomic.Int32

// New makes an empty network: a switch that nothing is plugged into. Leftovers
// of labs whose process is gone are removed first.
func New() (*Lab, error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("build lab: network namespaces and taps need root")
	}
	if err := need("ip"); err != nil {
		return nil, err
	}
	if err := Sweep(); err != nil {
		return nil, fmt.Errorf("sweep leftovers of an earlier lab: %w", err)
	}
	own, err := ownerOf(os.Getpid())
	if err != nil {
		return nil, err
	}
	l := &Lab{name: fmt.Sprintf("%s-%d", own, labs.Add(1))}
	l.closeOnSignal()
	if err := l.makeDir(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if err := l.addSwitch(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// makeDir makes the lab's folder, readable by all: dnsmasq drops its rights and
// reads its files as nobody. It is a temporary one because the path of a socket
// has room for 107 bytes only.
func (l *Lab) makeDir() error {
	l.Dir = filepath.Join(os.TempDir(), l.name)
	if err := os.Mkdir(l.Dir, 0o755); err != nil {
		return fmt.Errorf("make lab folder: %w", err)
	}
	l.onClose(func() error { return os.RemoveAll(l.Dir) })
	return os.Chmod(l.Dir, 0o755) // whatever the umask
}

// Path is the name of a file in the lab's folder.
func (l *Lab) Path(elem ...string) string {
	return filepath.Join(append([]string{l.Dir}, elem...)...)
}

// onClose keeps f for Close, which runs what was kept in reverse order.
func (l *Lab) onClose(f func() error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.undo = append(l.undo, f)
}

// Close ends every process and removes everything the lab made. It goes on
// after a failure and tells all of them. Closing twice does no harm; a second
// Close returns when the first has ended, since what ends the process may follow it.
func (l *Lab) Close() error {
	l.ending.Lock()
	defer l.ending.Unlock()
	l.mu.Lock()
	undo := l.undo
	l.undo, l.closed = nil, true
	l.mu.Unlock()
	var errs []error
	for i := len(undo) - 1; i >= 0; i-- {
		errs = append(errs, undo[i]())
	}
	return errors.Join(errs...)
}

// closeOnSignal takes the lab down before an interrupt or a hang-up ends the process.
func (l *Lab) closeOnSignal() {
	got := make(chan os.Signal, 1)
	done := make(chan struct{})
	signal.Notify(got, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		select {
		case s := <-got:
			if err := l.Close(); err != nil {
				fmt.Fprintln(os.Stderr, "close lab:", err)
			}
			os.Exit(128 + int(s.(syscall.Signal)))
		case <-done:
		}
	}()
	var once sync.Once
	l.onClose(func() error {
		once.Do(func() { signal.Stop(got); close(done) })
		return nil
	})
}
