//go:build integration

package deb

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/debroot"
)

// packages beside the base system: what our packages recommend, and what the
// test looks with.
var packages = []string{"curl", "dnsmasq-base", "ipxe", "libiscsi-bin", "libnginx-mod-http-js", "logrotate", "nginx", "procps", "tgt"}

// host is a machine with systemd on which packages are installed.
type host struct {
	*debroot.Machine
	t *testing.T
}

func newHost(t *testing.T) host {
	t.Helper()
	base, err := debroot.Base(filepath.Join("..", "..", ".cache", "roots"), "bookworm", packages...)
	if err != nil {
		t.Fatal(err)
	}
	m, err := debroot.Boot(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	h := host{m, t}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(h.run("journalctl", "--no-pager", "-n", "60", "-u", "ipxe-cp", "-u", "ipxe-agent", "-u", "ipxe-dnsmasq", "-u", "ipxe-agent-tgtd", "-u", "nginx"))
		}
		m.Close()
	})
	h.must("systemctl", "disable", "--now", "tgt") // as the guide says
	return h
}

// run gives what a program says, and what went wrong.
func (h host) run(args ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	out, err := h.Run(ctx, args...)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(out)
}

func (h host) must(args ...string) string {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	out, err := h.Run(ctx, args...)
	if err != nil {
		h.t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

func (h host) want(want string, args ...string) {
	h.t.Helper()
	if got := h.run(args...); got != want {
		h.t.Errorf("%s: got %q, want %q", strings.Join(args, " "), got, want)
	}
}

func (h host) wantIn(want string, args ...string) {
	h.t.Helper()
	if got := h.run(args...); !strings.Contains(got, want) {
		h.t.Errorf("%s: %q is not in %q", strings.Join(args, " "), want, got)
	}
}

// until waits for what a program says.
func (h host) until(want string, args ...string) {
	h.t.Helper()
	err := lab.Poll(time.Minute, func() error {
		if got := h.run(args...); !strings.Contains(got, want) {
			return fmt.Errorf("%s: %q is not in %q", strings.Join(args, " "), want, got)
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h host) write(name, content string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(h.Path(name)), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(h.Path(name), []byte(content), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

func (h host) read(name string) string {
	h.t.Helper()
	b, err := os.ReadFile(h.Path(name))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(b)
}

func (h host) exists(name string) bool {
	_, err := os.Lstat(h.Path(name))
	return err == nil
}

// token reads the one that a package made.
func (h host) token(daemon string) string {
	h.t.Helper()
	_, value, ok := strings.Cut(strings.TrimSpace(h.read("/etc/ipxe-all-ready/"+daemon+".token.env")), "=")
	if !ok || len(value) < 32 {
		h.t.Fatalf("the token of %s is %q", daemon, value)
	}
	return value
}

func (h host) api(daemon, path string, args ...string) string {
	h.t.Helper()
	port := map[string]string{"ipxe-cp": "4839", "ipxe-agent": "4840"}[daemon]
	call := []string{"curl", "-sS", "--max-time", "20", "-H", "Authorization: Bearer " + h.token(daemon), "http://127.0.0.1:" + port + path}
	return h.must(append(call, args...)...)
}

// release builds the packages of a version and puts them on the host.
func (h host) release(version string) (dir string) {
	h.t.Helper()
	bin, out := h.t.TempDir(), h.t.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w -X ipxe-all-ready/internal/version.release="+version, "-o", bin, "./cmd/...")
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		h.t.Fatalf("%v: %s", err, text)
	}
	pack := exec.Command("./build.sh", version)
	pack.Env = append(os.Environ(), "BIN="+bin, "OUT="+out)
	if text, err := pack.CombinedOutput(); err != nil {
		h.t.Fatalf("%v: %s", err, text)
	}
	dir = "/root/" + version
	if err := os.CopyFS(h.Path(dir), os.DirFS(out)); err != nil {
		h.t.Fatal(err)
	}
	return dir
}

// deb is the file of one package of a release.
func (h host) deb(dir, name string) string {
	h.t.Helper()
	list, err := filepath.Glob(filepath.Join(h.Path(dir), name+"_*.deb"))
	if err != nil || len(list) != 1 {
		h.t.Fatalf("%s: %q, %v", name, list, err)
	}
	return filepath.Join(dir, filepath.Base(list[0]))
}

func (h host) property(unit, name string) string {
	return h.run("systemctl", "show", "--value", "--property="+name, unit)
}

// decode reads an answer.
func decode[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}
