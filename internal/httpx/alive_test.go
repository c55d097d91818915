package httpx

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

func TestAServerOnEveryAddressIsAliveFromItsFirstAnswerToItsEnd(t *testing.T) {
	ln, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	look := func(patience time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		return Alive(ctx, ln.Addr(), false)
	}
	if look(500*time.Millisecond) == nil {
		t.Fatal("a port that nobody answers on is alive")
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	var sick atomic.Bool // the question that was given up may be answered at any time
	go func() {
		ended <- Serve(ctx, ln, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if sick.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}), ServerOptions{Log: slog.New(slog.DiscardHandler)})
	}()
	if err := look(20 * time.Second); err != nil {
		t.Fatal("it never answers: ", err)
	}
	sick.Store(true)
	if err := look(20 * time.Second); err == nil || err.Error() != "GET /healthz of "+ln.Addr().String()+": 503 Service Unavailable" {
		t.Fatalf("a sick one: %v", err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if look(20*time.Second) == nil {
		t.Fatal("one that has ended is alive")
	}
}

func TestAServerThatWantsItsCallersCertificatesIsAliveWithoutOne(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	own := httptest.NewUnstartedServer(nil)
	own.StartTLS()
	defer own.Close()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	secure := &tls.Config{Certificates: own.TLS.Certificates, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: x509.NewCertPool()}
	go func() {
		ended <- Serve(ctx, ln, http.NotFoundHandler(), ServerOptions{Log: slog.New(slog.DiscardHandler), TLS: secure})
	}()
	if err := Alive(t.Context(), ln.Addr(), true); err != nil {
		t.Error(err)
	}
	if Alive(t.Context(), ln.Addr(), false) == nil {
		t.Error("a port with TLS is taken for a plain one")
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

func TestAServerIsAskedFromAnotherProcessByWhatItWasToldToListenOn(t *testing.T) {
	for _, listen := range []string{":0", "127.0.0.1:0"} {
		ln, err := net.Listen("tcp", listen)
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(ln.Addr().String())
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		server.Listener = ln
		server.Start()
		asked := listen[:len(listen)-1] + port
		if err := AliveAt(t.Context(), asked, false); err != nil {
			t.Errorf("%s: %v", asked, err)
		}
		server.Close()
		if AliveAt(t.Context(), asked, false) == nil {
			t.Errorf("%s: one that has ended is alive", asked)
		}
	}
}
