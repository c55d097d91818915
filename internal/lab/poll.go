package lab

import (
	"context"
	"fmt"
	"time"
)

// Patience is how long what usually takes a second may take on a host that is busy
// with other things.
const Patience = time.Minute

// Poll calls f until it succeeds, and gives up after the timeout with f's last
// error.
func Poll(timeout time.Duration, f func() error) error {
	deadline := time.Now().Add(timeout)
	for {
		err := f()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%w, after %s", err, timeout)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func timeoutContext(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d)
}
