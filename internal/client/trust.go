package client

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// NewHTTPS is NewHTTP that asks config before each handshake, so that
// certificates may be replaced while it is in use. config gets the name or
// address that the server's certificate must be for.
func NewHTTPS(connect time.Duration, config func(host string) *tls.Config) *http.Client {
	t := newTransport(connect)
	dial := t.DialContext
	t.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		plain, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, connect)
		defer cancel()
		c := tls.Client(plain, config(host))
		if err := c.HandshakeContext(ctx); err != nil {
			_ = plain.Close()
			return nil, err
		}
		return c, nil
	}
	return &http.Client{Transport: t}
}
