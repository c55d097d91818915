package fence

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Door sees who knocks: the login requests that come in for the iSCSI server's
// port, read off the network beside it. tgtd tells nobody whom it refused, not
// even in its debug output, and the kernel's target keeps an address without a
// name. It wants CAP_NET_RAW.
type Door struct {
	port uint16
	log  *slog.Logger

	mu    sync.Mutex
	tries map[attempt]int
	seen  map[segment]bool
	blind string
}

// NewDoor opens nothing.
func NewDoor(port uint16, log *slog.Logger) *Door {
	return &Door{port: port, log: log, tries: map[attempt]int{}, seen: map[segment]bool{}}
}

// maxTries bounds what is kept between two looks.
const maxTries = 1024

// Take is who tried to log in since the last call, and how often.
func (d *Door) Take() map[attempt]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := d.tries
	d.tries, d.seen = map[attempt]int{}, map[segment]bool{}
	return out
}

// Blind says why nothing is seen; empty: all is well.
func (d *Door) Blind() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.blind
}

// Run listens until ctx ends.
func (d *Door) Run(ctx context.Context) {
	var group sync.WaitGroup
	defer group.Wait()
	for _, p := range []struct {
		protocol uint16
		filter   []bpf.Instruction
	}{{unix.ETH_P_IP, loginsIPv4(d.port)}, {unix.ETH_P_IPV6, loginsIPv6(d.port)}} {
		fd, err := listen(p.protocol, p.filter)
		if err != nil {
			d.fail(err)
			return
		}
		group.Go(func() {
			defer unix.Close(fd)
			d.read(ctx, fd)
		})
	}
}

func (d *Door) fail(err error) {
	d.mu.Lock()
	d.blind = fmt.Sprintf("refused logins cannot be seen: %v", err)
	d.mu.Unlock()
	d.log.Warn("refused logins cannot be seen; the agent wants CAP_NET_RAW for that", "error", err)
}

// listen opens a socket that gives whole packets of one protocol that come in
// on any card and pass the filter.
func listen(protocol uint16, filter []bpf.Instruction) (int, error) {
	raw, err := bpf.Assemble(filter)
	if err != nil {
		return -1, err
	}
	program := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		program[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	// Of no protocol until the filter is there: else others' packets come in first.
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("packet socket: %w", err)
	}
	second := unix.Timeval{Sec: 1}
	err = errors.Join(
		unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}),
		unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &second), // so that the reader sees the end
		unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: networkOrder(protocol)}),
	)
	if err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("packet socket: %w", err)
	}
	return fd, nil
}

func networkOrder(n uint16) uint16 {
	return binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, n))
}

func (d *Door) read(ctx context.Context, fd int) {
	buffer := make([]byte, wholeLogin)
	for ctx.Err() == nil {
		n, from, err := unix.Recvfrom(fd, buffer, 0)
		switch {
		case err == unix.EAGAIN, err == unix.EINTR, err == unix.ENETDOWN: // a card went down; others are there
			continue
		case err != nil:
			d.fail(err)
			return
		}
		if link, ok := from.(*unix.SockaddrLinklayer); !ok || link.Pkttype == unix.PACKET_HOST {
			d.note(buffer[:n])
		}
	}
}

// note counts a login request.
func (d *Door) note(packet []byte) {
	a, piece, ok := parseLogin(packet)
	d.mu.Lock()
	defer d.mu.Unlock()
	if !ok || d.seen[piece] || len(d.seen) >= maxTries {
		return
	}
	d.seen[piece] = true
	d.tries[a]++
}
