//go:build guide

package docs

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/debroot"
)

// packages are those that the guide installs, which a machine without a way out
// has already, and what the test looks with.
var packages = []string{"curl", "dnsmasq-base", "ipxe", "libiscsi-bin", "logrotate", "procps", "tgt", "nginx", "libnginx-mod-http-js", "openssl", "e2fsprogs"}

// reader is a person who types the guide into the shell of a machine, word for word.
type reader struct {
	*debroot.Machine
	t    *testing.T
	name string
	in   io.WriteCloser
	out  *bufio.Scanner
	said bytes.Buffer
}

func newReader(t *testing.T, name string) *reader {
	t.Helper()
	root, err := debroot.Base(filepath.Join("..", ".cache", "roots"), "bookworm", packages...)
	if err != nil {
		t.Fatal(err)
	}
	m, err := debroot.Boot(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{Machine: m, t: t, name: name}
	t.Cleanup(r.leave)
	cmd := m.Command(context.Background(), "bash", "--norc", "-euo", "pipefail")
	if r.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = cmd.Wait() }()
	r.out = bufio.NewScanner(out)
	r.out.Buffer(nil, 1<<20)
	// No SSH server runs there: what is copied to another host is carried by carry.
	r.types("scp() { mkdir -p /root/outbox; cp \"${@:1:$#-1}\" /root/outbox/; echo \"${!#}\" >/root/outbox/.to; }", "")
	return r
}

func (r *reader) leave() {
	if r.t.Failed() {
		out, _ := r.Run(context.Background(), "journalctl", "--no-pager", "-n", "40", "-u", "ipxe-*", "-u", "nginx")
		r.t.Logf("%s said:\n%s\n%s", r.name, r.said.String(), out)
	}
	r.Close()
}

// address gives eth1 its address, as a host has before the guide begins.
func (r *reader) address(cidr string) {
	r.t.Helper()
	r.types("ip link set lo up; ip link show eth1 >/dev/null 2>&1 || ip link add eth1 type veth peer name cable; ip link set cable up 2>/dev/null || true; ip link set eth1 up; ip address add "+cidr+" dev eth1", "")
}

// types runs lines in the shell, which a person answers when it asks.
func (r *reader) types(lines, answers string) (said string) {
	r.t.Helper()
	for name, content := range map[string]string{"/root/.block": lines, "/root/.answers": answers} {
		if err := os.WriteFile(r.Path(name), []byte(content), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	const end = "-- the block has ended"
	fmt.Fprintf(r.in, ". /root/.block </root/.answers; echo; echo '%s'\n", end)
	var b strings.Builder
	for r.out.Scan() {
		line := r.out.Text()
		if line == end {
			return b.String()
		}
		fmt.Fprintln(&b, line)
		fmt.Fprintln(&r.said, line)
	}
	r.t.Fatalf("%s: the guide's lines failed:\n%s\nafter\n%s", r.name, lines, b.String())
	return ""
}

// follows types a chapter's commands, beginning in /root, and gives what they said.
// Numbers pick some of its blocks.
func (r *reader) follows(heading, answers string, picked ...int) (said string) {
	r.t.Helper()
	blocks := chapter(r.t, "guide.md", heading)
	if picked == nil {
		for i := range blocks {
			picked = append(picked, i)
		}
	}
	r.types("cd /root", "")
	for _, i := range picked {
		said += r.types(blocks[i], answers)
	}
	return said
}

// chapter is the commands below a heading, up to the next one.
func chapter(t *testing.T, file, heading string) (blocks []string) {
	t.Helper()
	in := false
	for _, p := range parts(t, file) {
		if strings.HasPrefix(p.kind, "#") {
			in = p.text == heading
		}
		if in && p.kind == "sh" {
			blocks = append(blocks, p.text)
		}
	}
	if blocks == nil {
		t.Fatalf("%s has no commands below %q", file, heading)
	}
	return blocks
}

// gets puts a release's packages beside the reader, as dist/ in dir.
func (r *reader) gets(release, dir string) {
	r.t.Helper()
	if err := os.CopyFS(r.Path(filepath.Join(dir, "dist")), os.DirFS(release)); err != nil {
		r.t.Fatal(err)
	}
}

// carry is scp: what from wanted copied to to.
func carry(from, to *reader) {
	from.t.Helper()
	where, err := os.ReadFile(from.Path("/root/outbox/.to"))
	if err != nil {
		from.t.Fatal(err)
	}
	_, dir, _ := strings.Cut(strings.TrimSpace(string(where)), ":")
	if err := os.CopyFS(to.Path(dir), os.DirFS(from.Path("/root/outbox"))); err != nil {
		from.t.Fatal(err)
	}
}

// holds wants a text in what was said.
func (r *reader) holds(said string, want ...string) {
	r.t.Helper()
	for _, w := range want {
		if !strings.Contains(said, w) {
			r.t.Errorf("%s: %q is not in\n%s", r.name, w, said)
		}
	}
}

// boots is a machine that asks for its script; it asks again until it has something.
func (r *reader) boots(url, want string) {
	r.t.Helper()
	r.says("curl -sS '"+url+"' 2>&1 || true", want)
}

// says types lines again until they say what is wanted.
func (r *reader) says(lines, want string) {
	r.t.Helper()
	err := lab.Poll(30*time.Second, func() error {
		if said := r.types(lines, ""); !strings.Contains(said, want) {
			return fmt.Errorf("%s: %q is not in %s", lines, want, said)
		}
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// release builds what make deb builds, of a version.
func release(t *testing.T, version string) string {
	t.Helper()
	if _, err := os.Stat("../web/dist/index.html"); err != nil {
		run(t, "make", "-C", "..", "web")
	}
	bin, out := t.TempDir(), t.TempDir()
	t.Setenv("CGO_ENABLED", "0")
	run(t, "go", "build", "-C", "..", "-trimpath", "-ldflags", "-s -w -X ipxe-all-ready/internal/version.release="+version, "-o", bin, "./cmd/...")
	t.Setenv("BIN", bin)
	t.Setenv("OUT", out)
	run(t, "../deploy/deb/build.sh", version)
	return out
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
}
