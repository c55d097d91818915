// Package certstest makes certificates for tests.
package certstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority vouches for what it issues.
type Authority struct {
	t    testing.TB
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	File string // its certificate in PEM
}

// New makes an authority whose certificate lies in a folder of the test.
func New(t testing.TB, name string) *Authority {
	t.Helper()
	a := &Authority{t: t, key: newKey(t), File: filepath.Join(t.TempDir(), name+".pem")}
	template := template(t, name)
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	write(t, a.File, "CERTIFICATE", der)
	return a
}

// Pair is a certificate's file and its key's.
type Pair struct{ Cert, Key string }

// In is a pair of files in a folder that are not there yet.
func In(dir, name string) Pair {
	return Pair{filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")}
}

// Issue writes into p a certificate for 127.0.0.1 and localhost, for servers
// and callers. Files that stand are replaced by a rename each, the key first.
func (a *Authority) Issue(p Pair, name string) {
	a.t.Helper()
	a.IssueFor(p, name, time.Now().Add(-time.Hour), time.Now().Add(30*24*time.Hour))
}

// IssueFor is Issue of a certificate for a time.
func (a *Authority) IssueFor(p Pair, name string, from, until time.Time) {
	a.t.Helper()
	key := newKey(a.t)
	template := template(a.t, name)
	template.NotBefore, template.NotAfter = from, until
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	template.DNSNames, template.IPAddresses = []string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1)}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	plain, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	write(a.t, p.Key, "EC PRIVATE KEY", plain)
	write(a.t, p.Cert, "CERTIFICATE", der)
}

func template(t testing.TB, name string) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		t.Fatal(err)
	}
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func write(t testing.TB, path, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(path+".new", pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}
