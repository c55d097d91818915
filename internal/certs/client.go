package certs

import (
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"slices"
)

// Client is whose certificates a caller believes, and which it shows.
type Client struct {
	roots *file[*x509.CertPool]   // nil: the system's
	pair  *file[*tls.Certificate] // nil: it shows none
}

// NewClient reads authorities that are believed beside the system's, and a
// certificate with its key to show to servers that want one; "" is none.
func NewClient(ca, cert, key string, log *slog.Logger) (*Client, error) {
	var c Client
	var err error
	if ca != "" {
		if c.roots, err = open(log, pool(ca, true), ca); err != nil {
			return nil, err
		}
	}
	if (cert == "") != (key == "") {
		return nil, errHalf
	}
	if cert != "" {
		if c.pair, err = open(log, pair(cert, key), cert, key); err != nil {
			return nil, err
		}
		warn(log, c.pair)
	}
	return &c, nil
}

// Config is for a handshake with the host of that name, of what stands in the
// files now.
func (c *Client) Config(serverName string) *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: serverName, NextProtos: []string{"http/1.1"}}
	if c == nil {
		return config
	}
	if c.roots != nil {
		config.RootCAs = c.roots.now()
	}
	if c.pair != nil {
		config.Certificates = []tls.Certificate{*c.pair.now()}
	}
	return config
}

// Faults are as a Server's.
func (c *Client) Faults() []string {
	if c == nil {
		return nil
	}
	return slices.Concat(faultsOf(c.roots), faultsOf(c.pair), agesOf(c.pair), keyOf(c.pair))
}
