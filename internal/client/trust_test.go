package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/secret"
)

func TestASitesOwnCertificateIsBelievedWhenItIsGiven(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	at := func(h *http.Client, url string) error {
		cp := NewControlPlane(ControlPlaneOptions{BaseURL: url, HTTP: h, Wait: func(context.Context, time.Duration) error { return nil }})
		return cp.Health(t.Context())
	}
	believing := NewHTTPS(20*time.Second, func(host string) *tls.Config { return &tls.Config{RootCAs: roots, ServerName: host} })
	if err := at(NewHTTP(20*time.Second), s.URL); err == nil || !strings.Contains(fault.Sentence(err), "its certificate is not trusted") {
		t.Errorf("a certificate that nobody vouches for: %v", err)
	}
	if err := at(believing, s.URL); err != nil {
		t.Errorf("the given certificate: %v", err)
	}
	if err := at(believing, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)); err == nil || !strings.Contains(fault.Sentence(err), "its certificate is not trusted") {
		t.Errorf("another name: %v", err)
	}
}

func TestAMetadataServiceIsNeverAskedByHTTPSEither(t *testing.T) {
	h := NewHTTPS(20*time.Second, func(host string) *tls.Config { return &tls.Config{ServerName: host} })
	a := NewAgent(AgentOptions{ID: "st1", BaseURL: "https://169.254.169.254", Token: secret.New("tok"), Timeout: 20 * time.Second, HTTP: h})
	if _, err := a.Capabilities(t.Context()); fault.CodeOf(err) != "agent_address" {
		t.Error(err)
	}
}
