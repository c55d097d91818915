package httpx

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Alive asks a listener of our own for /healthz: what a caller would find, from
// its accept queue to a handler. One with TLS answers a plain question that it is
// one, whatever certificates it wants to see. A listener on every address is
// reached through the host itself.
func Alive(ctx context.Context, addr net.Addr, secured bool) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr.String()+"/healthz", nil)
	if err != nil {
		return err
	}
	one := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := one.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	want := http.StatusOK
	if secured {
		want = http.StatusBadRequest
	}
	if res.StatusCode != want {
		return fmt.Errorf("GET /healthz of %s: %s", addr, res.Status)
	}
	return nil
}

// AliveAt asks the listener that host:port opened, from another process.
func AliveAt(ctx context.Context, hostport string, secured bool) error {
	addr, err := net.ResolveTCPAddr("tcp", hostport)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 4*time.Second)
	defer cancel()
	return Alive(ctx, addr, secured)
}
