package certs

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
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

// Faults are sentences about the files as they stand; none when all is well.
func (s *Server) Faults() []string {
	if s == nil {
		return nil
	}
	faults := faultsOf(s.pair)
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

// errHalf says that a certificate came without its key, or the other way.
var errHalf = errors.New("a certificate and its key go together")
