package controlplane

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"ipxe-all-ready/internal/certs/certstest"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

// trusting is a client that believes an authority and keeps no connection.
func trusting(t *testing.T, ca *certstest.Authority) *http.Client {
	t.Helper()
	pem, err := os.ReadFile(ca.File)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots}}}
}

func TestACertificateIsReplacedWhileMachinesBootOverPlainHTTP(t *testing.T) {
	ca := certstest.New(t, "site")
	p := certstest.In(t.TempDir(), "cp")
	ca.Issue(p, "first")
	s := newSite(t, "IPXE_CP_TLS_CERT", p.Cert, "IPXE_CP_TLS_KEY", p.Key, "IPXE_CP_BOOT_LISTEN", "127.0.0.1:0")
	o, err := FromEnv(func(name string) (string, bool) { v, ok := s.env[name]; return v, ok })
	if err != nil {
		t.Fatal(err)
	}
	cp, err := New(o, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- cp.Run(ctx) }()
	defer func() {
		stop()
		http.DefaultClient.CloseIdleConnections()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	api, boot := "https://"+cp.Addr().String(), "http://"+cp.BootAddr().String()
	h := trusting(t, ca)
	get := func(h *http.Client, url string) (status int, body, shown string) {
		t.Helper()
		resp, err := h.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if resp.TLS != nil {
			shown = resp.TLS.PeerCertificates[0].Subject.CommonName
		}
		return resp.StatusCode, string(b), shown
	}
	if status, body, shown := get(h, api+"/workers"); status != 200 || shown != "first" {
		t.Errorf("%d %s %s", status, body, shown)
	}
	ca.Issue(p, "second")
	eventually(t, "the new one is shown", func() bool { _, _, shown := get(h, api+"/readyz"); return shown == "second" })
	if err := os.WriteFile(p.Key, []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "/readyz names the broken one, and the good one serves", func() bool {
		status, body, shown := get(h, api+"/readyz")
		if status != 200 || shown != "second" {
			t.Fatalf("%d %s %s", status, body, shown)
		}
		return strings.Contains(body, p.Key) && strings.Contains(body, "what was read before is still used")
	})
	if status, body, _ := get(http.DefaultClient, boot+"/boot-vars?mac=52:54:00:00:00:01"); status != 200 || hostnameOf(body) != "worker-01" {
		t.Errorf("%d %s", status, body)
	}
	if status, body, _ := get(http.DefaultClient, boot+"/workers"); status != 404 {
		t.Errorf("the plain port gives more than it should: %d %s", status, body)
	}
}

func TestANodeThatWantsACertificateGetsTheControlPlanes(t *testing.T) {
	nodes, site := certstest.New(t, "nodes"), certstest.New(t, "site")
	dir := t.TempDir()
	own, mine := certstest.In(dir, "node"), certstest.In(dir, "cp")
	nodes.Issue(own, "node")
	site.Issue(mine, "cp")
	n := nodetest.New()
	pair, err := tls.LoadX509KeyPair(own.Cert, own.Key)
	if err != nil {
		t.Fatal(err)
	}
	pem, err := os.ReadFile(site.File)
	if err != nil {
		t.Fatal(err)
	}
	callers := x509.NewCertPool()
	callers.AppendCertsFromPEM(pem)
	secure := httptest.NewUnstartedServer(n.Handler())
	secure.Listener = tls.NewListener(secure.Listener, &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: callers})
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.Start()
	defer secure.Close()
	probe := fmt.Sprintf(`{"base_url":%q,"token":%q}`, strings.Replace(secure.URL, "http:", "https:", 1), n.Token)
	for name, c := range map[string]struct {
		env    []string
		status int
		says   string
	}{
		"both":                {[]string{"IPXE_CP_AGENT_TLS_CA", nodes.File, "IPXE_CP_AGENT_TLS_CERT", mine.Cert, "IPXE_CP_AGENT_TLS_KEY", mine.Key}, 200, `"backend":"stgt"`},
		"no certificate":      {[]string{"IPXE_CP_AGENT_TLS_CA", nodes.File}, 502, "certificate required"},
		"an unknown node's":   {[]string{"IPXE_CP_AGENT_TLS_CERT", mine.Cert, "IPXE_CP_AGENT_TLS_KEY", mine.Key}, 502, "its certificate is not trusted"},
		"nothing of all that": {nil, 502, "its certificate is not trusted"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, c.env...).start()
			if a := s.call("POST", "/agents/probe", probe); a.status != c.status || !strings.Contains(string(a.body), c.says) {
				t.Errorf("%s", a)
			}
		})
	}
}
