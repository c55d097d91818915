package controlplane

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"ipxe-all-ready/internal/onewriter"
	"ipxe-all-ready/internal/sdnotify"
)

// lockWords are how the lock beside the ledgers speaks.
var lockWords = onewriter.Words{Writer: "control plane", Files: "ledgers"}

// standbyLook is how often a standby tries the lock, and a holder looks at it.
const standbyLook = 500 * time.Millisecond

// Start is New. With o.Standby, while another control plane holds the ledgers, it
// waits for their lock with no port open, so that machines and proxies go to the
// other one; nil and no error when ctx ended meanwhile.
func Start(ctx context.Context, o Options, log *slog.Logger) (*ControlPlane, error) {
	cp, err := New(o, log)
	if err == nil || !o.Standby || !errors.Is(err, onewriter.ErrHeld) {
		return cp, err
	}
	// What is wrong with these is told now, and not when we are needed.
	if err := (&ControlPlane{log: log}).readCertificates(o); err != nil {
		return nil, err
	}
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	told := make(chan struct{})
	go func() { defer close(told); sdnotify.Standby(waiting, log) }()
	defer func() { stop(); <-told }()

	since, said := time.Now(), ""
	tick := time.NewTicker(standbyLook)
	defer tick.Stop()
	for errors.Is(err, onewriter.ErrHeld) {
		if err.Error() != said {
			said = err.Error()
			log.Info("standing by", "error", said)
		}
		select {
		case <-ctx.Done():
			return nil, nil
		case <-tick.C:
		}
		cp, err = New(o, log)
	}
	if err == nil {
		log.Info("the ledgers are ours: taking over", "waited", time.Since(since).Round(time.Millisecond))
	}
	return cp, err
}

// watchLock ends with an error when the lock is another's; what is served by then
// is not what the other one writes.
func (cp *ControlPlane) watchLock(ctx context.Context) error {
	tick := time.NewTicker(standbyLook)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if err := cp.lock.Held(); errors.Is(err, onewriter.ErrLost) {
				return err
			}
		}
	}
}
