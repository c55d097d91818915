package certs

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"ipxe-all-ready/internal/secretfile"
)

// Server is what a daemon shows its callers, and whose certificates it wants
// of them.
type Server struct {
	pair    *file[*tls.Certificate]
	callers *file[*x509.CertPool] // nil: whoever comes
}

// NewServer reads a certificate and its key. clientCA names a PEM file of the
// authorities of which every caller must have a certificate; "": none needs one.
func NewServer(cert, key, clientCA string, log *slog.Logger) (*Server, error) {
	p, err := open(log, pair(cert, key), cert, key)
	if err != nil {
		return nil, err
	}
	warn(log, p)
	s := &Server{pair: p}
	if clientCA != "" {
		s.callers, err = open(log, pool(clientCA, false), clientCA)
	}
	return s, err
}

// Config is what a listener needs. Each handshake takes what stands in the
// files by then; connections that stand go on.
func (s *Server) Config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return s.pair.now(), nil },
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			if s.callers == nil {
				return nil, nil // as it is
			}
			return &tls.Config{
				MinVersion:   tls.VersionTLS12,
				NextProtos:   []string{"http/1.1"},
				Certificates: []tls.Certificate{*s.pair.now()},
				ClientAuth:   tls.RequireAndVerifyClientCert,
				ClientCAs:    s.callers.now(),
				// A session that is taken up again would pass an authority that was
				// taken out of the file.
				SessionTicketsDisabled: true,
			}, nil
		},
	}
}

// Faults are sentences about the files as they stand and about a certificate
// whose time is over, or nearly; none when all is well.
func (s *Server) Faults() []string {
	if s == nil {
		return nil
	}
	faults := slices.Concat(faultsOf(s.pair), agesOf(s.pair), keyOf(s.pair))
	if s.callers != nil {
		faults = append(faults, faultsOf(s.callers)...)
	}
	return faults
}

func faultsOf[T any](f *file[T]) []string {
	if f == nil {
		return nil
	}
	if text := f.fault(); text != "" {
		return []string{text}
	}
	return nil
}

// soon is how long before its end a certificate is told of.
const soon = 14 * 24 * time.Hour

// agesOf tells of a certificate that is used and has expired, will within two
// weeks, or is not valid yet: no file is broken, yet who checks it is refused.
func agesOf(f *file[*tls.Certificate]) []string {
	if f == nil {
		return nil
	}
	leaf, now := f.now().Leaf, time.Now()
	if leaf == nil {
		return nil // as old Go programs leave it, with GODEBUG=x509keypairleaf=0
	}
	says := func(what string, at time.Time) []string {
		return []string{fmt.Sprintf("certificate %q %s %s", f.paths[0], what, at.UTC().Format(time.RFC3339))}
	}
	switch {
	case now.Before(leaf.NotBefore):
		return says("is valid only from", leaf.NotBefore)
	case now.After(leaf.NotAfter):
		return says("expired at", leaf.NotAfter)
	case now.Add(soon).After(leaf.NotAfter):
		return says("expires at", leaf.NotAfter)
	}
	return nil
}

// keyOf tells of a key that everybody on this host can read: who has it can show
// our certificate.
func keyOf(f *file[*tls.Certificate]) []string {
	if f == nil {
		return nil
	}
	key := f.paths[1]
	info, err := os.Stat(key)
	if err != nil {
		return nil // which faultsOf tells
	}
	if doubt := secretfile.Doubt(key, info); doubt != "" {
		return []string{"the key " + doubt}
	}
	return nil
}

// warn says at the start what keyOf tells whoever asks.
func warn(log *slog.Logger, f *file[*tls.Certificate]) {
	for _, text := range keyOf(f) {
		log.Warn(text + "; " + secretfile.Remedy)
	}
}

// errHalf says that a certificate came without its key, or the other way.
var errHalf = errors.New("a certificate and its key go together")
