package httpx

import (
	"cmp"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"ipxe-all-ready/internal/budget"
)

const usualConnections = 1024

// Networks reads addresses and networks as trusted proxies are written; what
// is neither is left out.
func Networks(list []string) (out []netip.Prefix) {
	for _, item := range list {
		if p, err := netip.ParsePrefix(item); err == nil {
			out = append(out, p.Masked())
		} else if ip, err := netip.ParseAddr(item); err == nil {
			out = append(out, netip.PrefixFrom(ip, ip.BitLen()))
		}
	}
	return out
}

// door is a listener that lets one source hold so many connections, and whose
// connections are lost to a client that does not read.
type door struct {
	net.Listener
	log   *slog.Logger
	stall time.Duration
	most  int
	spare []netip.Prefix

	mu    sync.Mutex
	held  map[netip.Prefix]int
	noted *budget.Budget // of lines in the log
}

func newDoor(ln net.Listener, stall time.Duration, o ServerOptions) *door {
	return &door{
		Listener: ln, log: o.Log, stall: stall, most: cmp.Or(o.Connections, usualConnections), spare: o.Spare,
		held:  make(map[netip.Prefix]int),
		noted: budget.New(budget.Options{Burst: 1, Refill: time.Minute, Now: time.Now}),
	}
}

// Accept hangs up on a source that holds too many already.
func (d *door) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		src, counted := d.source(c)
		if !counted {
			return &conn{Conn: c, stall: d.stall, gone: func() {}}, nil
		}
		if d.enter(src) {
			return &conn{Conn: c, stall: d.stall, gone: sync.OnceFunc(func() { d.leave(src) })}, nil
		}
		_ = c.Close()
		if d.noted.Take(netip.Prefix{}) == 0 {
			d.log.Warn("one address holds too many connections; new ones from there are closed", "client", src.Addr(), "most", d.most)
		}
	}
}

func (d *door) source(c net.Conn) (src netip.Prefix, counted bool) {
	tcp, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return src, false
	}
	ip := tcp.AddrPort().Addr().Unmap()
	for _, p := range d.spare {
		if p.Contains(ip.WithZone("")) {
			return src, false
		}
	}
	return budget.Network(ip.String()), !ip.IsLoopback()
}

func (d *door) enter(src netip.Prefix) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.held[src] >= d.most {
		return false
	}
	d.held[src]++
	return true
}

func (d *door) leave(src netip.Prefix) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.held[src]--; d.held[src] <= 0 {
		delete(d.held, src)
	}
}

// piece is how much a client has to take within the stall, in bytes.
const piece = 64 << 10

// conn fails a write that its client does not take in time. Without that, one
// that asks for a long list and reads none of it holds it for ever.
type conn struct {
	net.Conn
	stall time.Duration
	gone  func()

	mu  sync.Mutex
	own time.Time // the handler's deadline; zero: it set none
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	c.own = t
	c.mu.Unlock()
	return c.Conn.SetWriteDeadline(t)
}

func (c *conn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	c.own = t
	c.mu.Unlock()
	return c.Conn.SetDeadline(t)
}

func (c *conn) Write(b []byte) (n int, err error) {
	for {
		if err := c.Conn.SetWriteDeadline(c.deadline(time.Now())); err != nil {
			return n, err
		}
		m, err := c.Conn.Write(b[:min(len(b), piece)])
		n, b = n+m, b[m:]
		if err != nil || len(b) == 0 {
			return n, err
		}
	}
}

// deadline is the handler's where that is sooner. One that has passed is of an
// answer before this one, or its write has failed already.
func (c *conn) deadline(now time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if latest := now.Add(c.stall); !c.own.After(now) || c.own.After(latest) {
		return latest
	}
	return c.own
}

func (c *conn) Close() error {
	c.gone()
	return c.Conn.Close()
}
