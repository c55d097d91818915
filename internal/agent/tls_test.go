package agent

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/agent/metrics"
	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/certs"
	"ipxe-all-ready/internal/certs/certstest"
	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/secret"
)

// caller is the control plane's client with a certificate, or without one.
func caller(t *testing.T, url, ca string, p certstest.Pair, token string) *client.Agent {
	t.Helper()
	c, err := certs.NewClient(ca, p.Cert, p.Key, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return client.NewAgent(client.AgentOptions{ID: "st1", BaseURL: url, Token: secret.New(token), Timeout: 20 * time.Second,
		HTTP: client.NewHTTPS(20*time.Second, c.Config)})
}

func TestAnAgentWithTLSLetsInOnlyACallerWithBothCertificateAndToken(t *testing.T) {
	ca := certstest.New(t, "site")
	dir := t.TempDir()
	own, cp := certstest.In(dir, "agent"), certstest.In(dir, "cp")
	ca.Issue(own, "agent")
	ca.Issue(cp, "cp")
	o := options(t)
	o.TLSCert, o.TLSKey, o.CallCA = own.Cert, own.Key, ca.File
	a, err := assemble(o, quiet(), fake.New(), metrics.New())
	if err != nil {
		t.Fatal(err)
	}
	plain := run(t, a)
	url := strings.Replace(plain, "http://", "https://", 1)

	if caps, err := caller(t, url, ca.File, cp, token).Capabilities(t.Context()); err != nil || caps.BaseIQN != base {
		t.Errorf("with both: %+v %v", caps, err)
	}
	if _, err := caller(t, url, ca.File, cp, "wrong").Capabilities(t.Context()); fault.CodeOf(err) != "agent_unauthorized" {
		t.Errorf("with a wrong token: %v", err)
	}
	if err := caller(t, url, ca.File, certstest.Pair{}, token).Health(t.Context()); err == nil || !strings.Contains(fault.Sentence(err), "certificate required") {
		t.Errorf("without a certificate: %v", err)
	}
	if err := caller(t, url, certstest.New(t, "other").File, cp, token).Health(t.Context()); err == nil || !strings.Contains(fault.Sentence(err), "its certificate is not trusted") {
		t.Errorf("trusting another authority: %v", err)
	}
	if resp, err := http.Get(plain + "/healthz"); err == nil {
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("plain HTTP: %d", resp.StatusCode)
		}
	}
}

func TestABadTLSSettingStopsTheStartOfAnAgent(t *testing.T) {
	for want, env := range map[string]map[string]string{
		"IPXE_AGENT_TLS_CERT and IPXE_AGENT_TLS_KEY go together; one of them is not set": {"IPXE_AGENT_TLS_CERT": "/x"},
		"IPXE_AGENT_TLS_CLIENT_CA is only of use with IPXE_AGENT_TLS_CERT":               {"IPXE_AGENT_TLS_CLIENT_CA": "/x"},
	} {
		if _, err := FromEnv(func(name string) (string, bool) { v, ok := env[name]; return v, ok }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
	o := options(t)
	o.TLSCert, o.TLSKey = "/absent.pem", "/absent.key"
	if _, err := assemble(o, quiet(), fake.New(), metrics.New()); err == nil || !strings.Contains(err.Error(), "IPXE_AGENT_TLS_CERT") {
		t.Error(err)
	}
}
