//go:build integration

package nginx_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/lab"
)

// An administrator keeps Debian's nginx.conf and adds our files to it.
func TestTheSiteRunsUnderDebiansOwnMainConfiguration(t *testing.T) {
	stock, err := os.ReadFile("/etc/nginx/nginx.conf")
	must(t, err)
	var main strings.Builder
	for line := range strings.Lines(string(stock)) {
		switch word, _, _ := strings.Cut(strings.TrimSpace(line), " "); {
		case word == "pid", word == "error_log", word == "access_log", strings.Contains(line, "sites-enabled"):
			// the test's own, or the welcome page on port 80
		case strings.Contains(line, "modules-enabled"):
			main.WriteString("load_module " + lab.DebianNginx.Modules + "/ngx_http_js_module.so;\n")
		default:
			main.WriteString(strings.ReplaceAll(line, "/etc/nginx/conf.d", "conf.d"))
		}
	}
	program := lab.DebianNginx
	program.Main = filepath.Join(t.TempDir(), "nginx.conf")
	must(t, os.WriteFile(program.Main, []byte(main.String()), 0o644))
	r, err := newRig("stock", program, "")
	if r != nil {
		t.Cleanup(func() { must(t, r.Close()) })
	}
	must(t, err)

	if page := r.ask(t, "GET", "/"); page.header.Get("Content-Security-Policy") != pagePolicy {
		t.Errorf("the console: %d %v", page.status, page.header)
	}
	if file := r.ask(t, "GET", "/file/hello.txt", "Accept-Encoding: gzip"); file.body != "hello, world\n" || file.header.Get("Content-Length") != "13" {
		t.Errorf("a file: %d %v %q", file.status, file.header, file.body)
	}
	if list := r.list(t, "tools/"); len(list) != 3 {
		t.Errorf("a listing: %+v", list)
	}
	r.ask(t, "GET", "/file/none.iso").plain(t, "what is not there", 404)
	if out, err := r.nginx.Check("-t"); err != nil || strings.Contains(out, "warn") {
		t.Errorf("%v\n%s", err, out)
	}
}

// The real control plane says in its trail whom it heard.
func TestTheAuditNamesTheRealClientWhateverItSaysOfItself(t *testing.T) {
	root, err := lab.Root()
	must(t, err)
	program := filepath.Join(t.TempDir(), "ipxe-cp")
	build := exec.Command("go", "build", "-o", program, "./cmd/ipxe-cp")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build ipxe-cp: %v\n%s", err, out)
	}
	each(t, func(t *testing.T, r *rig) {
		home := t.TempDir()
		for _, dir := range []string{"config", "state", "dnsmasq"} {
			must(t, os.Mkdir(filepath.Join(home, dir), 0o755))
		}
		cp, err := r.host.Start("ipxe-cp", []string{"IPXE_CP_HOME=" + home}, program)
		must(t, err)
		defer func() { must(t, cp.Stop()) }()
		must(t, lab.Poll(lab.Patience, func() error {
			if got := r.ask(t, "GET", "/api/cp/healthz"); got.status != 200 {
				return fmt.Errorf("ipxe-cp answers %d: %s", got.status, cp.Log.Tail(5))
			}
			return nil
		}))
		body := `{"worker_id":"w1","hostname":"w1","mac":"52:54:00:00:00:01"}`
		made := r.raw(t, "POST /api/cp/workers HTTP/1.1\r\nHost: web\r\nConnection: close\r\nX-Forwarded-For: 203.0.113.7, 127.0.0.1\r\nX-Real-IP: 203.0.113.8\r\n"+
			fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
		if made.status != 201 && made.status != 200 {
			t.Fatalf("register: %d %s", made.status, made.body)
		}
		got := r.ask(t, "GET", "/api/cp/operations")
		var trail api.Operations
		must(t, json.Unmarshal([]byte(got.body), &trail))
		if !strings.Contains(got.body, `"client":"192.168.80.9"`) || strings.Contains(got.body, "203.0.113") || strings.Contains(got.body, `"client":"127.0.0.1"`) {
			t.Errorf("the trail is %s", got.body)
		}
		events := r.dial(t)
		defer events.Close()
		_, err = events.Write([]byte("GET /api/cp/events HTTP/1.1\r\nHost: web\r\n\r\n"))
		must(t, err)
		first := make([]byte, 4096)
		n, err := events.Read(first)
		must(t, err)
		if !strings.HasPrefix(string(first[:n]), "HTTP/1.1 200 OK") {
			t.Errorf("the event stream begins with %q", first[:n])
		}
	})
}
