package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"syscall"
	"time"

	"ipxe-all-ready/internal/lab"
)

// forward makes a server of the demo answer on this host's loopback address,
// and on no other: the demo is open to whoever reaches it. When the product's
// own port is in use here, another one is taken.
func forward(to *lab.Host, at netip.AddrPort) (string, error) {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", at.Port()))
	if errors.Is(err, syscall.EADDRINUSE) {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return "", fmt.Errorf("forward %s: %w", at, err)
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				continue // out of file descriptors for a moment: the listener is never closed
			}
			go relay(conn, to, at)
		}
	}()
	return l.Addr().String(), nil
}

func relay(near net.Conn, to *lab.Host, at netip.AddrPort) {
	defer near.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	far, err := to.Dial(ctx, "tcp", at.String())
	if err != nil {
		return // the caller sees a closed connection, as if it had asked itself
	}
	defer far.Close()
	done := make(chan struct{}, 2)
	pass := func(dst, src net.Conn) {
		_, _ = io.Copy(dst, src) // either side may leave at any time
		if tcp, ok := dst.(*net.TCPConn); ok {
			_ = tcp.CloseWrite()
		}
		done <- struct{}{}
	}
	go pass(far, near)
	go pass(near, far)
	<-done
	<-done
}
