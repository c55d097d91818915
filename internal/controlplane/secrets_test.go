package controlplane

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/controlplane/nodetest"
)

const (
	fullToken   = "full-token-4f1d7c2a9b"
	viewToken   = "view-token-77aa03be51"
	nodeToken   = "node-token-c0ffee1234"
	envToken    = "env-token-91b2d3e4f5"
	probedToken = "probed-token-6a5b4c3d2e"
)

var allTokens = []string{fullToken, viewToken, nodeToken, envToken, probedToken}

// secretive is a real ipxe-cp with tokens of all kinds, and all that it says.
type secretive struct {
	t    *testing.T
	home string
	url  string
	cmd  *exec.Cmd
	told bytes.Buffer // every answer, headers included
	logs string       // file of its standard error
}

func startSecretive(t *testing.T, node *nodetest.Node) *secretive {
	t.Helper()
	p := &secretive{t: t, home: t.TempDir(), logs: filepath.Join(t.TempDir(), "stderr")}
	full, view := filepath.Join(t.TempDir(), "full"), filepath.Join(t.TempDir(), "view")
	for path, content := range map[string]string{
		full: fullToken + "\n", view: viewToken + "\n",
		filepath.Join(p.home, "agents.yml"): fmt.Sprintf("agents:\n  st1: {base_url: %q, token: %s, role: {disk: true, cd: true}}\n  st2: {base_url: %q, token: \"${NODE_TOKEN}\", role: {disk: true}}\n",
			node.URL, nodeToken, node.URL),
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	log, err := os.Create(p.logs)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	p.cmd = exec.Command(self(t))
	p.cmd.Env = append(os.Environ(), roleEnv+"=ipxe-cp", "IPXE_CP_HOME="+p.home, "IPXE_CP_LISTEN=127.0.0.1:0", "IPXE_CP_LOG_LEVEL=debug",
		"IPXE_CP_TOKEN_FILE="+full, "IPXE_CP_VIEW_TOKEN_FILE="+view, "IPXE_CP_AGENTS_FILE=agents.yml", "NODE_TOKEN="+envToken, "GOTRACEBACK=all")
	p.cmd.Stderr = log
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	address := make([]byte, 64)
	n, err := out.Read(address)
	if err != nil {
		t.Fatal(err)
	}
	p.url = "http://" + strings.TrimSpace(string(address[:n]))
	return p
}

func (p *secretive) call(token, method, path, body string) (status int) {
	p.t.Helper()
	req, err := http.NewRequest(method, p.url+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Fprintf(&p.told, "%s %s %v\n", method, req.URL.Path, resp.Header)
	if _, err := io.Copy(&p.told, resp.Body); err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode
}

// search names every token that stands in text.
func search(t *testing.T, where, text string) {
	t.Helper()
	for _, token := range allTokens {
		if i := strings.Index(text, token); i >= 0 {
			t.Errorf("%s tells %s: …%.200s", where, token, text[max(0, i-80):])
		}
	}
}

func TestNoTokenIsFoundInAnythingThatIsWrittenOrTold(t *testing.T) {
	node := nodetest.Start(t)
	node.Token = nodeToken
	// A node, or what stands in its place, that shows requests in its errors.
	node.Answer("GET /masters", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(w, `{"detail":"cannot serve %s","code":"internal"}`, r.Header.Get("Authorization"))
	})
	p := startSecretive(t, node)
	for _, c := range []struct {
		token, method, path, body string
		status                    int
	}{
		{fullToken, "GET", "/agents", "", 200},
		{viewToken, "GET", "/agents", "", 200},
		{viewToken, "POST", "/agents", `{}`, 403},
		{"wrong" + fullToken, "GET", "/agents", "", 401},
		{fullToken, "GET", "/masters", "", 502},
		{fullToken, "POST", "/agents/probe", `{"base_url":"` + node.URL + `","token":"` + probedToken + `"}`, 502},
		{fullToken, "POST", "/agents/probe", `{"base_url":"http://127.0.0.1:1","token":"` + probedToken + `"}`, 502},
		{fullToken, "POST", "/agents", `{"id":"st3","base_url":"` + node.URL + `","token":"` + probedToken + `"}`, 201},
		{fullToken, "POST", "/agents", `{"id":"st4","base_url":"` + node.URL + `","token":"` + probedToken + ` with a blank"}`, 400},
		{fullToken, "POST", "/agents", `{"id":"st4","base_url":"` + node.URL + `","token":["` + probedToken + `"]}`, 400},
		{fullToken, "POST", "/agents", `{"id":"st4","token":"` + probedToken, 400},
		{fullToken, "POST", "/agents", `{"id":"st4","base_url":"http://u:` + probedToken + `@x","token":"t"}`, 400},
		{fullToken, "PUT", "/agents/st3", `{"base_url":"` + node.URL + `","token":"` + probedToken + `","role":{"disk":true}}`, 200},
		{fullToken, "GET", "/workers?token=" + fullToken, "", 200},
		{fullToken, "POST", "/workers", `{"worker_id":"pc-01","mac":"52:54:00:00:00:01"}`, 201},
		{fullToken, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"master","name":"master_tpl_1.img","disk_agent":"st1"}`, 201},
		{fullToken, "POST", "/workers/pc-01/luns/disk", `{"os":"debian","type":"master","name":"master_tpl_1.img","disk_agent":"st2"}`, 502},
		{fullToken, "GET", "/operations?tail=1000", "", 200},
		{fullToken, "GET", "/metrics", "", 200},
		{fullToken, "GET", "/reconcile", "", 200},
		{fullToken, "GET", "/readyz", "", 200},
	} {
		if got := p.call(c.token, c.method, c.path, c.body); got != c.status {
			t.Errorf("%s %s %s: %d, want %d", c.method, c.path, c.body, got, c.status)
		}
	}
	cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	search(t, "the process list", string(cmdline))
	// A crash, with what every goroutine was doing.
	if err := p.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait() // it says how it ended
	log, err := os.ReadFile(p.logs)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(log, []byte("goroutine ")) || !bytes.Contains(log, []byte("level=DEBUG")) {
		t.Fatalf("no dump or no log:\n%.2000s", log)
	}
	search(t, "the log or the dump", string(log))
	search(t, "an answer", p.told.String())
	err = filepath.WalkDir(p.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(filepath.Base(path), "agents.yml") { // and what stood there in an older schema
			return err
		}
		b, err := os.ReadFile(path)
		search(t, path, string(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
