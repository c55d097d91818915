package controlplane

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

// patience is how long nodes may take where one hangs for as long and the others
// must answer in time, on a busy machine too.
const patience = "5s"

// site is a real control plane on a free port with its files in a folder.
type site struct {
	fencing time.Duration    // between two looks at who uses the disks; zero: the product's
	now     func() time.Time // nil: the host's
	t       *testing.T
	home    string
	env     map[string]string
	url     string
	stop    func()
	log     io.Writer // of everything; nil discards
}

// newSite runs a control plane with the given variables until the test ends.
func newSite(t *testing.T, env ...string) *site {
	t.Helper()
	s := &site{t: t, home: t.TempDir(), env: map[string]string{"IPXE_CP_LISTEN": "127.0.0.1:0"}}
	s.env["IPXE_CP_HOME"] = s.home
	for i := 0; i+1 < len(env); i += 2 {
		s.env[env[i]] = env[i+1]
	}
	return s
}

func (s *site) start() *site {
	s.t.Helper()
	o, err := FromEnv(func(name string) (string, bool) { v, ok := s.env[name]; return v, ok })
	if err != nil {
		s.t.Fatal(err)
	}
	o.Fencing, o.Now = s.fencing, s.now
	cp, err := New(o, s.logger())
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- cp.Run(ctx) }()
	stopped := false
	s.stop = func() {
		if stopped {
			return
		}
		stopped = true
		// A connection that never carried a request holds up an orderly stop.
		http.DefaultClient.CloseIdleConnections()
		cancel()
		if err := <-done; err != nil {
			s.t.Errorf("run: %v", err)
		}
	}
	s.t.Cleanup(func() { s.stop() })
	s.url = "http://" + cp.Addr().String()
	return s
}

func (s *site) logger() *slog.Logger {
	if s.log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// restart stops the control plane and starts another on the same files.
func (s *site) restart() {
	s.t.Helper()
	s.stop()
	s.start()
}

// file writes one of the site's files before or while it runs.
func (s *site) file(name, content string) {
	s.t.Helper()
	path := filepath.Join(s.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) read(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.home, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// agents writes the inventory; every node has the disk and the CD role.
func (s *site) agents(nodes map[string]*nodetest.Node) {
	s.t.Helper()
	var b strings.Builder
	b.WriteString("agents:\n")
	for id, n := range nodes {
		fmt.Fprintf(&b, "  %s: {base_url: %q, token: %q, iscsi_server: 192.168.80.3, role: {disk: true, cd: true}, tags: [storage, %s], enabled: true}\n",
			id, n.URL, n.Token, n.Backend)
	}
	s.file("config/agents.yml", b.String())
}

// answer is what came back.
type answer struct {
	status int
	body   []byte
	header http.Header
}

func (a answer) String() string { return fmt.Sprintf("%d %s", a.status, a.body) }

func (s *site) call(method, path, body string, header ...string) answer {
	s.t.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	a := answer{resp.StatusCode, b, resp.Header}
	if err := breach(method, path, body, req.Header, a); err != nil {
		s.t.Errorf("%s %s %s: %s\nis not as openapi.yaml has it: %v", method, path, body, a, err)
	}
	return a
}

// want calls and fails the test unless the status is that one.
func (s *site) want(status int, method, path, body string) answer {
	s.t.Helper()
	a := s.call(method, path, body)
	if a.status != status {
		s.t.Fatalf("%s %s %s: want %d, got %s", method, path, body, status, a)
	}
	return a
}

func decode[T any](t *testing.T, a answer) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(a.body, &v); err != nil {
		t.Fatalf("%s: %v", a, err)
	}
	return v
}

func (s *site) worker(id string) api.Worker {
	s.t.Helper()
	return decode[api.Worker](s.t, s.want(200, "GET", "/workers/"+id, ""))
}

func (s *site) workers() []api.Worker {
	s.t.Helper()
	return decode[[]api.Worker](s.t, s.want(200, "GET", "/workers", ""))
}

func (s *site) boot(query string) string {
	s.t.Helper()
	return string(s.want(200, "GET", "/boot-vars?"+query, "").body)
}

// operation is an audit entry as tests look at it.
type operation struct {
	ID       int64  `json:"id"`
	Op       string `json:"op"`
	Status   string `json:"status"`
	WorkerID string `json:"worker_id"`
	Agent    string `json:"agent"`
	Client   string `json:"client"`
	Ref      int64  `json:"ref"`
	Error    string `json:"error"`
	OldMAC   string `json:"old_mac"`
	NewMAC   string `json:"new_mac"`
	Changed  bool   `json:"changed"`
}

func (s *site) operations(query string) []operation {
	s.t.Helper()
	page := decode[api.Operations](s.t, s.want(200, "GET", "/operations?"+query, ""))
	out := make([]operation, len(page.Entries))
	for i, e := range page.Entries {
		if err := json.Unmarshal(e, &out[i]); err != nil {
			s.t.Fatalf("%s: %v", e, err)
		}
	}
	return out
}

// eventually polls until ok, for what another goroutine or a file watch does.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("after 20 s still not: %s", what)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// noFileChanged fails when f changed a ledger or the bindings.
func (s *site) noFileChanged(what string, f func()) {
	s.t.Helper()
	before := s.ledgers()
	f()
	if after := s.ledgers(); !bytes.Equal(before, after) {
		s.t.Errorf("%s changed a file:\n%s\n--- became ---\n%s", what, before, after)
	}
}

func (s *site) ledgers() []byte {
	var b []byte
	for _, name := range []string{"config/agents.yml", "state/workers.yml", "state/settings.json", "dnsmasq/dhcp-hosts.conf"} {
		content, _ := os.ReadFile(filepath.Join(s.home, name)) // absent counts as empty
		b = append(append(b, "== "+name+"\n"...), content...)
	}
	return b
}
