// Package sdnotify owns what a daemon tells systemd of itself: that it serves,
// that it is alive, that it ends. Started by anything else it does nothing.
package sdnotify

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// firstLook is the pause between two looks while the daemon is not up yet.
const firstLook = 20 * time.Millisecond

// Run tells systemd READY=1 once alive succeeds, then WATCHDOG=1 whenever it
// does, three times in the time that the unit allows (WatchdogSec), and
// STOPPING=1 when ctx ends. A daemon that is not alive is not kept from being
// restarted, so alive must fail of nothing that a restart does not mend.
func Run(ctx context.Context, alive func(context.Context) error, log *slog.Logger) {
	if os.Getenv("NOTIFY_SOCKET") == "" {
		return
	}
	limit, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("WATCHDOG_USEC is wrong: systemd hears no sign of life", "error", err)
	}
	u := unit{alive: alive, log: log, every: limit / 3}
	if u.started(ctx) {
		u.tell(fmt.Sprintf("%s\nMAINPID=%d\nSTATUS=serving", daemon.SdNotifyReady, os.Getpid()))
		u.watch(ctx)
	}
	u.tell(daemon.SdNotifyStopping + "\nSTATUS=stopping")
}

// Standby tells systemd READY=1 and signs of life until ctx ends, with a status
// that says that nothing is served yet. It is not told of an end: Run follows.
func Standby(ctx context.Context, log *slog.Logger) {
	if os.Getenv("NOTIFY_SOCKET") == "" {
		return
	}
	limit, _ := daemon.SdWatchdogEnabled(false) // Run tells of a wrong one
	u := unit{alive: func(context.Context) error { return nil }, log: log, every: limit / 3}
	u.tell(fmt.Sprintf("%s\nMAINPID=%d\nSTATUS=standing by: another control plane serves", daemon.SdNotifyReady, os.Getpid()))
	u.watch(ctx)
}

type unit struct {
	alive func(context.Context) error
	log   *slog.Logger
	every time.Duration // between two signs of life; zero: none are wanted
}

// started waits until the daemon answers; false is an end before that.
func (u unit) started(ctx context.Context) bool {
	tick := time.NewTicker(firstLook)
	defer tick.Stop()
	for u.look(ctx, time.Second) != nil {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return ctx.Err() == nil
}

func (u unit) watch(ctx context.Context) {
	if u.every <= 0 {
		<-ctx.Done()
		return
	}
	tick := time.NewTicker(u.every)
	defer tick.Stop()
	for {
		switch err := u.look(ctx, u.every); {
		case err == nil:
			u.tell(daemon.SdNotifyWatchdog)
		case ctx.Err() == nil:
			u.log.Error("no sign of life is given to systemd", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (u unit) look(ctx context.Context, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return u.alive(ctx)
}

func (u unit) tell(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		u.log.Warn("systemd was not told", "error", err)
	}
}
