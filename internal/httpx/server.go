package httpx

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Limits against clients that connect and say nothing. There is no bound on
// the whole of an answer: a synchronous clone may take an hour.
const (
	headerTime = 10 * time.Second
	bodyTime   = time.Minute
	idleTime   = 2 * time.Minute
	stopTime   = 10 * time.Second
	headerSize = 64 << 10
)

// Serve answers on ln until ctx ends, HEAD like GET, then lets what is under
// way finish for ten seconds. The caller sees nil on an orderly stop.
func Serve(ctx context.Context, ln net.Listener, h http.Handler, log *slog.Logger) error {
	s := &http.Server{
		Handler:           head(h),
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       bodyTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    headerSize,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(ln) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	if err := s.Shutdown(grace); err != nil {
		_ = s.Close() // what still hangs after the grace is cut
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", ln.Addr(), err)
	}
	return nil
}
