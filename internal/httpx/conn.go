package httpx

import (
	"errors"
	"net"
	"os"
	"time"
)

// piece is how much a client has to take within the stall, in bytes.
const piece = 64 << 10

// conn fails a write of which its client takes less than half a piece in a whole
// stall. Without that, one that asks for a long list and reads none of it holds
// it for ever.
type conn struct {
	net.Conn
	gone          func()
	reads, writes *alarm
}

func newConn(c net.Conn, l limits, gone func()) *conn {
	// The kernel tells of room when a third of its buffer is free. It would let that
	// grow to megabytes, and who takes a piece in time would look like who takes
	// nothing. It doubles what it is told.
	if b, ok := c.(interface{ SetWriteBuffer(int) error }); ok {
		_ = b.SetWriteBuffer(piece) // a larger one errs later
	}
	return &conn{Conn: c, gone: gone, reads: newAlarm(c.SetReadDeadline, l.header), writes: newAlarm(c.SetWriteDeadline, l.stall)}
}

func (c *conn) SetReadDeadline(t time.Time) error { return c.reads.at(t) }

// SetWriteDeadline holds until it has passed, for a handler's answer; where it
// is later than the stall, that counts.
func (c *conn) SetWriteDeadline(t time.Time) error {
	if t.After(time.Now().Add(c.writes.ahead)) {
		t = time.Time{}
	}
	return c.writes.at(t)
}

func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

func (c *conn) Read(b []byte) (n int, err error) {
	for {
		n, err = c.Conn.Read(b)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) || c.reads.due() {
			return n, err
		}
	}
}

// Write knows no clock: from one ring of the timer to the next it is a stall.
// The first may come at once.
func (c *conn) Write(b []byte) (n int, err error) {
	// A deadline that has passed was of an answer before this one, or its write
	// has failed already.
	if err := c.writes.forget(); err != nil {
		return 0, err
	}
	for rings := 1; ; rings++ {
		m, err := c.Conn.Write(b[n:])
		n += m
		if !errors.Is(err, os.ErrDeadlineExceeded) || c.writes.due() || rings > 1 && m < piece/2 {
			return n, err
		}
	}
}

func (c *conn) Close() error {
	c.gone()
	return c.Conn.Close()
}
