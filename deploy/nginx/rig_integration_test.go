//go:build integration

package nginx_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/lab"
)

// rig is one nginx in a network of its own, with folders to serve. What it
// passes on to the control plane a test answers, by controlPlane.
type rig struct {
	*lab.Lab
	name   string
	host   *lab.Host
	client *lab.Host // asks from another address
	nginx  *lab.Nginx
	folder lab.NginxFolders
}

var rigs []*rig

// defaults are far below nginx's own, so that no test has to wait for these:
// what matters must be said in the shipped files.
const defaults = "proxy_read_timeout 1s; client_max_body_size 1k; gzip on;\n"

// TestMain starts each nginx once. A newer one comes from the next Debian
// release: it is as new as those in official images, and CI can have it.
func TestMain(m *testing.M) { os.Exit(runAll(m)) }

func runAll(m *testing.M) int {
	root, err := lab.Root()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	newer, err := lab.UnpackNginx("trixie", filepath.Join(root, ".cache", "nginx-trixie"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for _, p := range []struct {
		name    string
		program lab.NginxProgram
	}{{"Debian 12", lab.DebianNginx}, {"newer", newer}} {
		r, err := newRig(p.name, p.program, defaults)
		if r != nil {
			defer func() {
				if err := r.Close(); err != nil {
					fmt.Fprintln(os.Stderr, err)
				}
			}()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		rigs = append(rigs, r)
	}
	return m.Run()
}

func newRig(name string, program lab.NginxProgram, http string) (*rig, error) {
	l, err := lab.New()
	if err != nil {
		return nil, err
	}
	r := &rig{Lab: l, name: name, folder: lab.NginxFolders{
		Console: l.Path("console"), Public: l.Path("public"), TFTP: l.Path("tftp"),
		HTTP: http,
	}}
	for _, dir := range []string{r.folder.Console, r.folder.Public, r.folder.TFTP} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return r, err
		}
	}
	if r.host, err = l.AddHost("web", netip.MustParseAddr("192.168.80.1")); err != nil {
		return r, err
	}
	if r.client, err = l.AddHost("pc", netip.MustParseAddr("192.168.80.9")); err != nil {
		return r, err
	}
	if err := r.fill(); err != nil {
		return r, err
	}
	r.nginx, err = r.host.StartNginx(program, r.folder)
	return r, err
}

// each runs f with every nginx.
func each(t *testing.T, f func(t *testing.T, r *rig)) {
	t.Helper()
	for _, r := range rigs {
		t.Run(r.name, func(t *testing.T) {
			r.nginx.Log.Skip()
			f(t, r)
			if t.Failed() {
				t.Logf("nginx said last:\n%s", r.nginx.Log.Tail(15))
			}
		})
	}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// raw sends bytes as they are, from the client's address, and reads one answer.
func (r *rig) raw(t *testing.T, request string) answer {
	t.Helper()
	conn := r.dial(t)
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	return read(t, bufio.NewReader(conn), method)
}

func (r *rig) dial(t *testing.T) net.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), lab.Patience)
	defer cancel()
	conn, err := r.client.Dial(ctx, "tcp", fmt.Sprintf("%s:%d", r.host.Addr, lab.NginxPort))
	must(t, err)
	must(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	return conn
}

func read(t *testing.T, from *bufio.Reader, method string) answer {
	t.Helper()
	resp, err := http.ReadResponse(from, &http.Request{Method: method})
	must(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	must(t, err)
	return answer{resp.StatusCode, resp.Header, string(body)}
}

// ask sends a request for a target that is written as it goes over the wire.
func (r *rig) ask(t *testing.T, method, target string, headers ...string) answer {
	t.Helper()
	return r.raw(t, method+" "+target+" HTTP/1.1\r\nHost: web\r\nConnection: close\r\n"+lines(headers)+"\r\n")
}

func lines(headers []string) string {
	var b strings.Builder
	for _, h := range headers {
		b.WriteString(h + "\r\n")
	}
	return b.String()
}

// plain holds an error of the file server: its status, and text without HTML.
func (a answer) plain(t *testing.T, what string, status int) {
	t.Helper()
	if a.status != status || a.header.Get("Content-Type") != "text/plain; charset=utf-8" || strings.ContainsAny(a.body, "<>") {
		t.Errorf("%s: %d %s %q, want %d as plain text", what, a.status, a.header.Get("Content-Type"), a.body, status)
	}
	if a.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%s: the answer lacks nosniff", what)
	}
	if a.body != "" && !strings.HasPrefix(a.body, fmt.Sprintf("%d ", status)) {
		t.Errorf("%s: the text is %q, want it to start with %d", what, a.body, status)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
