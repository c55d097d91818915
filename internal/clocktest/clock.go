// Package clocktest owns a clock of tests whose hands are set while it runs, as
// an administrator or a time server sets a host's: the calendar jumps and the
// monotonic time goes on.
package clocktest

import (
	"sync/atomic"
	"time"
	"unsafe"
)

// Clock shows the time until it is set. Its zero value goes right.
type Clock struct{ ahead atomic.Int64 }

// Set puts the hands so far ahead of the right time, or behind; whole seconds.
func (c *Clock) Set(ahead time.Duration) { c.ahead.Store(int64(ahead / time.Second)) }

// Now is time.Now of a host whose clock was set. The calendar of a time that
// carries a monotonic one lies in the upper bits of its first word, in seconds
// since 1885, above thirty bits of nanoseconds.
func (c *Clock) Now() time.Time {
	t := time.Now()
	const nanoseconds = 30
	word := (*uint64)(unsafe.Pointer(&t))
	*word = uint64(int64(*word) + c.ahead.Load()<<nanoseconds)
	return t
}
