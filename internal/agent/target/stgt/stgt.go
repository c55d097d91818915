// Package stgt drives tgtd, the user-space iSCSI server, through its own tool
// tgtadm. It starts no tgtd: package tgtd does, or somebody else. tgtd keeps all
// of its state in memory, so this package keeps none but the target ids that it
// is giving out.
package stgt

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
)

// imageLUN is where stgt serves an image; 0 is its controller.
const imageLUN = "1"

// Options of a Backend.
type Options struct {
	Tgtadm      string        // name or path of the tool
	ControlPort uint16        // which tgtd on this host
	Portal      string        // address:port that must be served; empty: any will do
	Timeout     time.Duration // of one tgtadm; zero is 10 s
	Parallel    int           // tgtadm processes at the same time in one Ensure; zero is 4

	// Observe hears of every run of the tool; call is such as target_show. Nil: nobody listens.
	Observe func(call string, err error, took time.Duration)
}

// Backend is one tgtd.
type Backend struct {
	o   Options
	adm tgtadm

	shown atomic.Int64 // how long the last list was, in bytes

	mu    sync.Mutex
	taken map[int]bool // target ids that calls under way are using
}

// New makes no call.
func New(o Options) *Backend {
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	if o.Parallel == 0 {
		o.Parallel = 4
	}
	if o.Observe == nil {
		o.Observe = func(string, error, time.Duration) {}
	}
	return &Backend{
		o:     o,
		adm:   tgtadm{path: o.Tgtadm, port: o.ControlPort, timeout: o.Timeout, observe: o.Observe},
		taken: map[int]bool{},
	}
}

// Traits of stgt.
func (b *Backend) Traits() target.Traits {
	return target.Traits{Name: "stgt", LUN: 1, CD: true, Linger: linger}
}

// linger is nop_interval=5 times nop_count=3 of a tgtd that we start, and a
// while. One without these keeps dead sessions for ever.
const linger = 20 * time.Second

// List is one tgtadm call. tgtd rounds the sizes it shows, so they are asked of
// the files.
func (b *Backend) List(ctx context.Context) ([]target.Target, error) {
	targets, err := b.show(ctx)
	if err != nil {
		return nil, fmt.Errorf("list targets: %w", err)
	}
	for i := range targets {
		for j := range targets[i].LUNs {
			l := &targets[i].LUNs[j]
			if l.Backing == "" { // LUN 0
				continue
			}
			if st, err := os.Stat(l.Backing); err == nil && st.Mode().IsRegular() {
				l.Size = st.Size()
			}
		}
	}
	return targets, nil
}

func (b *Backend) show(ctx context.Context) ([]target.Target, error) {
	var out bytes.Buffer
	out.Grow(int(b.shown.Load())) // a kilobyte a target: growing step by step costs more than reading it
	if err := b.adm.runInto(ctx, &out, "--mode", "target", "--op", "show"); err != nil {
		return nil, err
	}
	b.shown.Store(int64(out.Len() + bytes.MinRead))
	targets, err := parseShow(out.Bytes())
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err, "tgtadm showed targets in a form that is not known")
	}
	return targets, nil
}

// Ping succeeds when tgtd answers and listens where it should. Its life is told
// by the control socket, which every start of tgtd makes anew.
func (b *Backend) Ping(ctx context.Context) (string, error) {
	portals, err := b.Portals(ctx)
	if err != nil {
		return "", err
	}
	switch {
	case len(portals) == 0:
		return "", fault.New(fault.Unavailable, "tgtd on control port %d listens on no portal", b.o.ControlPort)
	case b.o.Portal != "" && !slices.Contains(portals, b.o.Portal):
		return "", fault.New(fault.Unavailable, "tgtd on control port %d listens on %s and not on %s",
			b.o.ControlPort, strings.Join(portals, ", "), b.o.Portal)
	}
	return b.life(), nil
}

// life is the control socket's inode and change time. Where the socket is out
// of sight (tgtd in another container) all lives look the same.
func (b *Backend) life() string {
	socket := "/var/run/tgtd/socket"
	if s := os.Getenv("TGT_IPC_SOCKET"); s != "" { // tgtadm's own rule
		socket = s
	}
	var st syscall.Stat_t
	if err := syscall.Stat(fmt.Sprintf("%s.%d", socket, b.o.ControlPort), &st); err != nil {
		return "out of sight"
	}
	return fmt.Sprintf("%d@%d.%09d", st.Ino, st.Ctim.Sec, st.Ctim.Nsec)
}

// Portals are the addresses that tgtd really listens on. It is no error to tgtd
// when it cannot bind the one it was started with: it takes the default
// instead, or none, and says that it is ready.
//
//	Portal: 127.0.0.1:3260,1
//	Portal: [::]:3260,1
func (b *Backend) Portals(ctx context.Context) ([]string, error) {
	out, err := b.adm.run(ctx, "--mode", "portal", "--op", "show")
	if err != nil {
		return nil, err
	}
	var portals []string
	for line := range strings.Lines(string(out)) {
		if p, ok := strings.CutPrefix(strings.TrimSpace(line), "Portal: "); ok {
			address, _, _ := strings.Cut(p, ",")
			portals = append(portals, address)
		}
	}
	return portals, nil
}
