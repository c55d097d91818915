package httpx

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// ServerOptions are what a daemon says of one of its ports.
type ServerOptions struct {
	Log *slog.Logger
	TLS *tls.Config // nil: plain HTTP

	// Connections is how many one address may hold at a time, an IPv6 /64
	// counting as one; 0 is 1024. Loopback and the addresses in Spare, proxies
	// that carry many callers, may hold any number.
	Connections int
	Spare       []netip.Prefix
}

// limits are against clients that connect and say nothing, say it slowly, or
// do not read. There is none on the whole of an answer: a synchronous clone
// may take an hour, and a stream of events never ends.
type limits struct {
	header      time.Duration // until the whole header is here, TLS included
	body        time.Duration // until the whole body is, from the request's start
	idle        time.Duration // between two requests
	stall       time.Duration // in which a client has to take what is written
	stop        time.Duration // for what is under way at the end
	headerBytes int
}

var usual = limits{
	header: 10 * time.Second, body: time.Minute, idle: 2 * time.Minute,
	stall: 30 * time.Second, stop: 10 * time.Second, headerBytes: 64 << 10,
}

// Serve answers on ln until ctx ends, HEAD like GET, then lets what is under
// way finish for ten seconds. The caller sees nil on an orderly stop.
func Serve(ctx context.Context, ln net.Listener, h http.Handler, o ServerOptions) error {
	return usual.serve(ctx, ln, h, o)
}

func (l limits) serve(ctx context.Context, ln net.Listener, h http.Handler, o ServerOptions) error {
	s := &http.Server{
		Handler:           head(h),
		ReadHeaderTimeout: l.header,
		ReadTimeout:       l.body, // net/http ends it where the body ends
		IdleTimeout:       l.idle,
		MaxHeaderBytes:    l.headerBytes,
		ErrorLog:          slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
	}
	ln = newDoor(ln, l, o)
	if o.TLS != nil {
		ln = tls.NewListener(ln, o.TLS)
	}
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(ln) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.stop)
	defer cancel()
	if err := s.Shutdown(grace); err != nil {
		_ = s.Close() // what still hangs after the grace is cut
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", ln.Addr(), err)
	}
	return nil
}
