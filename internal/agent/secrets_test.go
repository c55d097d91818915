package agent

import (
	"bytes"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ipxe-all-ready/internal/agent/metrics"
	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/secret"
)

// said is a log that many write.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func TestTheAgentsTokenIsFoundInNothingThatItWritesOrTells(t *testing.T) {
	const hidden = "agent-token-5d41402abc"
	o := options(t)
	o.Token = secret.New(hidden)
	log := &said{}
	a, err := assemble(o, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})), fake.New(), metrics.New())
	if err != nil {
		t.Fatal(err)
	}
	n := &node{url: run(t, a), dir: o.DiskDir}
	n.put(t, "u_tpl_1.img")
	var told strings.Builder
	ask := func(token, method, path, body string) int {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, n.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		status, answer := do(t, req)
		fmt.Fprintln(&told, answer)
		return status
	}
	for _, c := range []struct {
		token, method, path, body string
		status                    int
	}{
		{hidden, "POST", "/lun/disk", `{"iqn":"` + base + `:a","master":"u_tpl_1.img"}`, 201},
		{hidden, "POST", "/lun/disk", `{"iqn":"` + base + `:a","master":"u_tpl_1.img"}`, 409},
		{hidden, "POST", "/lun/disk", `{"iqn":"` + base + `:b","master":"absent_tpl_1.img"}`, 404},
		{hidden, "POST", "/lun/disk", `{"iqn":`, 400},
		{"wrong" + hidden, "GET", "/lun", "", 401},
		{hidden, "DELETE", "/lun?iqn=" + base + ":a&delete_file=true", "", 200},
		{hidden, "GET", "/logs", "", 200},
		{hidden, "GET", "/readyz", "", 200},
		{hidden, "GET", "/metrics", "", 200},
	} {
		if got := ask(c.token, c.method, c.path, c.body); got != c.status {
			t.Errorf("%s %s %s: %d, want %d", c.method, c.path, c.body, got, c.status)
		}
	}
	if !strings.Contains(log.String(), "level=DEBUG") {
		t.Fatal("nothing was logged")
	}
	texts := map[string]string{"the log": log.String(), "an answer": told.String(), "the options when printed": fmt.Sprintf("%v %+v %#v", o, o, o)}
	err = filepath.WalkDir(filepath.Dir(o.DiskDir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		texts[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range texts {
		if strings.Contains(text, hidden) {
			t.Errorf("%s tells the token", where)
		}
	}
}

func TestWhoTriesTokensOnAnAgentHasToWait(t *testing.T) {
	n := newNode(t)
	codes := map[int]int{}
	for i := range 60 {
		req, err := http.NewRequestWithContext(t.Context(), "GET", n.url+"/lun", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", fmt.Sprint("Bearer guess-", i))
		status, _ := do(t, req)
		codes[status]++
	}
	if codes[401] < 20 || codes[429] < 20 || codes[401]+codes[429] != 60 {
		t.Errorf("%v", codes)
	}
	if status, _ := n.call(t, "GET", "/healthz", ""); status != 200 {
		t.Errorf("/healthz: %d", status)
	}
}
