package agent

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/agent/metrics"
	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/secret"
)

const (
	base  = "iqn.2026-07.com.controller"
	token = "the-token"
)

// node is a running agent.
type node struct {
	url     string
	dir     string
	backend *fake.Backend // nil on a real server
}

func options(t *testing.T) Options {
	t.Helper()
	b, err := iscsi.ParseBase(base)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	o := Options{
		Listen: "127.0.0.1:0", Token: secret.New(token), Base: b,
		DiskDir: filepath.Join(root, "images"), LogFile: filepath.Join(root, "ipxe-agent.jsonl"), Folders: filepath.Join(root, "ipxe-agent.folders.json"),
		Served: filepath.Join(root, "ipxe-agent.targets.json"),
		Watch:  10 * time.Millisecond,
	}
	if err := os.Mkdir(o.DiskDir, 0o700); err != nil {
		t.Fatal(err)
	}
	return o
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// start runs an agent on a server in memory until the end of the test.
func start(t *testing.T, o Options, b *fake.Backend) *node {
	t.Helper()
	a, err := assemble(o, quiet(), b, metrics.New())
	if err != nil {
		t.Fatal(err)
	}
	return &node{url: run(t, a), dir: o.DiskDir, backend: b}
}

func run(t *testing.T, a *Agent) (url string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context())) // in its turn among what is cleaned up
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return "http://" + a.Addr().String()
}

func newNode(t *testing.T) *node {
	t.Helper()
	return start(t, options(t), fake.New())
}

func newLIO(t *testing.T) *node {
	t.Helper()
	return start(t, options(t), fake.NewWith(target.Traits{Name: "lio", Persistent: true}))
}

func (n *node) put(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(n.dir, name), make([]byte, 1<<20), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// call sends body as it is and gives status and answer.
func (n *node) call(t *testing.T, method, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, n.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	return do(t, req)
}

func do(t *testing.T, req *http.Request) (int, string) {
	t.Helper()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(answer)
}

func (n *node) want(t *testing.T, method, path, body string, status int, answer string) {
	t.Helper()
	got, text := n.call(t, method, path, body)
	if got != status || text != answer {
		t.Errorf("%s %s %s\n got %d %s\nwant %d %s", method, path, body, got, text, status, answer)
	}
}

// wantDetail compares an error's status, code and sentence.
func (n *node) wantDetail(t *testing.T, method, path, body string, status int, code, detail string) {
	t.Helper()
	got, text := n.call(t, method, path, body)
	var e api.Error
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		t.Fatalf("%s %s: %d %s: %v", method, path, got, text, err)
	}
	if got != status || e.Code != code || e.Detail != detail || e.RequestID == "" {
		t.Errorf("%s %s %.200s\n got %d %s %q\nwant %d %s %q", method, path, body, got, e.Code, e.Detail, status, code, detail)
	}
}

func get[T any](t *testing.T, n *node, path string) T {
	t.Helper()
	status, text := n.call(t, "GET", path, "")
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil || status != http.StatusOK {
		t.Fatalf("GET %s: %d %s %v", path, status, text, err)
	}
	return v
}

// until asks until ok holds, for as long as a host that is busy with other things
// may need.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(2 * time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("in vain waited until %s", what)
		}
	}
}
