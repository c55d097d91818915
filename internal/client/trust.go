package client

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
)

// Trusting is a copy of h, made by NewHTTP, that also believes the
// certificates in a PEM file: a site's control plane often has one of its own.
func Trusting(h *http.Client, pemFile string) (*http.Client, error) {
	pem, err := os.ReadFile(pemFile)
	if err != nil {
		return nil, fmt.Errorf("read trusted certificates: %w", err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("read the system's certificates: %w", err)
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("read trusted certificates: %s holds none in PEM form", pemFile)
	}
	transport, ok := h.Transport.(*http.Transport)
	if !ok {
		return nil, fmt.Errorf("trust %s: the client's transport is a %T", pemFile, h.Transport)
	}
	transport = transport.Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	c := *h
	c.Transport = transport
	return &c, nil
}
