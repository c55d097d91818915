package client

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

func TestJSONThatIsNoNodesAnswerIsNoSuccess(t *testing.T) {
	calls := map[string]func(*Agent) error{
		"health":       func(a *Agent) error { return a.Health(t.Context()) },
		"capabilities": func(a *Agent) error { _, err := a.Capabilities(t.Context()); return err },
		"targets":      func(a *Agent) error { _, err := a.Targets(t.Context()); return err },
		"masters":      func(a *Agent) error { _, err := a.Masters(t.Context()); return err },
		"scan":         func(a *Agent) error { _, err := a.Scan(t.Context()); return err },
		"disk":         func(a *Agent) error { _, err := a.CreateDisk(t.Context(), api.CreateLUN{}); return err },
		"disk as task": func(a *Agent) error { _, _, err := a.CreateDiskAsync(t.Context(), api.CreateLUN{}); return err },
		"cd":           func(a *Agent) error { _, err := a.CreateCD(t.Context(), api.CreateCD{}); return err },
		"deletion":     func(a *Agent) error { return a.DeleteLUN(t.Context(), "iqn.2026-07.com.c:w", false, false) },
		"task":         func(a *Agent) error { _, err := a.Task(t.Context(), "x"); return err },
		"cancelling":   func(a *Agent) error { _, err := a.CancelTask(t.Context(), "x"); return err },
	}
	for _, body := range []string{`null`, `{}`, `{"detail":"x"}`, `[{}]`, `[null]`, `"ok"`, `7`, ``} {
		a := served(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
		for what, call := range calls {
			err := call(a)
			if !fault.Is(err, fault.Upstream) || fault.CodeOf(err) != "agent_protocol" || !strings.HasPrefix(fault.Sentence(err), "agent st1: the answer is not ") {
				t.Errorf("%s, %s: %v", body, what, err)
			}
		}
	}
}

// speaks is a peer that reads a request, says these bytes and hangs up.
func speaks(t *testing.T, says string) *Agent {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			_, _ = http.ReadRequest(bufio.NewReader(c))
			_, _ = io.WriteString(c, says)
			c.Close()
		}
	}()
	return agentAt("http://" + ln.Addr().String())
}

func TestAnAnswerThatIsCutOffOrNoHTTPIsAgainstTheProtocolAndSilenceIsNot(t *testing.T) {
	for says, code := range map[string]string{
		"":                         "agent_unreachable",
		"SSH-2.0-OpenSSH_9.6\r\n":  "agent_protocol",
		"HTTP/1.1 200 OK\r\nConte": "agent_protocol",
		"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n[":                                             "agent_protocol",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[":                                "agent_protocol",
		"HTTP/1.1 banana\r\n\r\n":                                                                    "agent_protocol",
		fmt.Sprintf("HTTP/1.1 %s\r\n\r\n", strings.Repeat("x", 100_000)):                             "agent_protocol",
		fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n%s", strings.Repeat("[", 100)): "agent_protocol",
	} {
		_, err := speaks(t, says).Targets(t.Context())
		if fault.CodeOf(err) != code || len(err.Error()) > 5000 {
			t.Errorf("%.40q: %.300v", says, err)
		}
	}
}

func TestWhatCapabilitiesSayIsBounded(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	a := served(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"backend":"lio","base_iqn":"iqn.2026-07.com.c","fs_type":%q,"clone":%q,"empty_disk":%q,"version":%q}`, long, long, long, long)
	})
	c, err := a.Capabilities(t.Context())
	if got := len(c.FSType + c.Clone + c.EmptyDisk + c.Version); err != nil || got > 8000 || got < 7900 {
		t.Errorf("%d bytes, %v", got, err)
	}
}
