package httpx

import (
	"errors"
	"net"
	"os"
	"time"
)

// piece is how much a client has to take within the stall, in bytes.
const piece = 64 << 10

// conn fails a write of which its client does not take a piece within the
// stall, or within twice that at most. Without that, one that asks for a long
// list and reads none of it holds it for ever.
type conn struct {
	net.Conn
	gone          func()
	reads, writes *alarm
}

func newConn(c net.Conn, l limits, gone func()) *conn {
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

func (c *conn) Write(b []byte) (n int, err error) {
	// A deadline that has passed was of an answer before this one, or its write
	// has failed already.
	if err := c.writes.forget(); err != nil {
		return 0, err
	}
	for {
		m, err := c.write(b[:min(len(b), piece)])
		n, b = n+m, b[m:]
		if err != nil || len(b) == 0 {
			return n, err
		}
	}
}

// write knows no clock: where the timer rings a second time, a whole stall has
// passed since the first.
func (c *conn) write(b []byte) (n int, err error) {
	for rings := 1; ; rings++ {
		m, err := c.Conn.Write(b[n:])
		n += m
		if !errors.Is(err, os.ErrDeadlineExceeded) || c.writes.due() || rings > 1 {
			return n, err
		}
	}
}

func (c *conn) Close() error {
	c.gone()
	return c.Conn.Close()
}
