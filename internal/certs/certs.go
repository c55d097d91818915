// Package certs owns the certificates that a daemon shows and those that it
// believes, as files that are replaced while it runs. What is broken, such as a
// key that does not fit, is told and not used: the last good content serves on.
package certs

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"ipxe-all-ready/internal/atomicfile"
)

// most is what a file of certificates may hold, in bytes: all authorities that a
// system believes are some 200 KB.
const most = 4 << 20

// pause is between two looks at the files, which are made when something is
// asked of them.
const pause = time.Second

// file is what was last read of some files.
type file[T any] struct {
	paths []string
	read  func() (T, error)
	log   *slog.Logger

	mu     sync.Mutex
	looked time.Time
	stamps []stamp
	good   T
	wrong  error // with what stands in the files now; nil: good is of them
}

// stamp tells whether a file was changed or replaced.
type stamp struct {
	size  int64
	mtime time.Time
	inode uint64
}

func open[T any](log *slog.Logger, read func() (T, error), paths ...string) (*file[T], error) {
	f := &file[T]{paths: paths, read: read, log: log, stamps: stampsOf(paths), looked: time.Now()}
	var err error
	f.good, err = read()
	return f, err
}

// now is the last good content.
func (f *file[T]) now() T {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.look()
	return f.good
}

// fault is what is wrong with the files as they stand; "" when nothing is.
func (f *file[T]) fault() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.look()
	if f.wrong == nil {
		return ""
	}
	return f.wrong.Error() + "; what was read before is still used"
}

// look reads the files anew when they are not as they were. Stamps are taken
// before, so that what is written meanwhile is found by the next look.
func (f *file[T]) look() {
	if time.Since(f.looked) < pause {
		return
	}
	f.looked = time.Now()
	stamps := stampsOf(f.paths)
	if same(stamps, f.stamps) {
		return
	}
	f.stamps = stamps
	fresh, err := f.read()
	f.wrong = err
	if err != nil {
		f.log.Error("certificates were not taken in; what was read before is still used", "error", err)
		return
	}
	f.good = fresh
	f.log.Info("certificates were read anew", "files", f.paths)
}

// pair reads a certificate with its chain, and its key.
func pair(cert, key string) func() (*tls.Certificate, error) {
	return func() (*tls.Certificate, error) {
		p, err := load(cert, key)
		if err != nil {
			return nil, fmt.Errorf("certificate %q with key %q: %w", cert, key, err)
		}
		return &p, nil
	}
}

// load is tls.LoadX509KeyPair of regular files alone: handshakes wait for it,
// and would for ever for a named pipe.
func load(cert, key string) (p tls.Certificate, err error) {
	var chain, secret []byte
	if chain, err = atomicfile.ReadFile(cert, most); err != nil {
		return p, err
	}
	if secret, err = atomicfile.ReadFile(key, most); err != nil {
		return p, err
	}
	return tls.X509KeyPair(chain, secret)
}

// pool reads the certificates in a PEM file, on top of the system's where
// wanted.
func pool(path string, system bool) func() (*x509.CertPool, error) {
	return func() (*x509.CertPool, error) {
		pem, err := atomicfile.ReadFile(path, most)
		if err != nil {
			return nil, fmt.Errorf("trusted certificates: %w", err)
		}
		roots := x509.NewCertPool()
		if system {
			if roots, err = x509.SystemCertPool(); err != nil {
				return nil, fmt.Errorf("the system's trusted certificates: %w", err)
			}
		}
		if !roots.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("trusted certificates: %q holds none in PEM form", path)
		}
		return roots, nil
	}
}
