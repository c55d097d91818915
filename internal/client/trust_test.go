package client

import (
	"context"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestASitesOwnCertificateIsBelievedWhenItIsGiven(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	plain := NewHTTP(time.Second)
	at := func(h *http.Client) error {
		cp := NewControlPlane(ControlPlaneOptions{BaseURL: s.URL, HTTP: h, Wait: func(context.Context, time.Duration) error { return nil }})
		return cp.Health(t.Context())
	}
	if at(plain) == nil {
		t.Error("a certificate that nobody vouches for was believed")
	}
	path := filepath.Join(t.TempDir(), "ca.pem")
	if _, err := Trusting(plain, path); err == nil {
		t.Error("a missing file was read")
	}
	for _, c := range []struct {
		content []byte
		ok      bool
	}{
		{[]byte("no PEM"), false},
		{pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), true},
	} {
		if err := os.WriteFile(path, c.content, 0o600); err != nil {
			t.Fatal(err)
		}
		h, err := Trusting(plain, path)
		if (err == nil) != c.ok {
			t.Fatalf("%q: %v", c.content, err)
		}
		if c.ok && at(h) != nil {
			t.Error("the given certificate was not believed")
		}
	}
	if at(plain) == nil {
		t.Error("the client that was copied has changed")
	}
}
