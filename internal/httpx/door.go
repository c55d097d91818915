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
	log    *slog.Logger
	limits limits
	most   int
	spare  []netip.Prefix

	mu    sync.Mutex
	held  map[netip.Prefix]int
	noted *budget.Budget // of lines in the log
}

func newDoor(ln net.Listener, l limits, o ServerOptions) *door {
	return &door{
		Listener: ln, log: o.Log, limits: l, most: cmp.Or(o.Connections, usualConnections), spare: o.Spare,
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
			return newConn(c, d.limits, func() {}), nil
		}
		if d.enter(src) {
			return newConn(c, d.limits, sync.OnceFunc(func() { d.leave(src) })), nil
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
