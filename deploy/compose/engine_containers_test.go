//go:build containers

package compose

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ipxe-all-ready/internal/lab"
)

// engine is a Docker engine, and the shell of the host that it runs on: one whose
// /etc, /srv and /var/lib are copies that nobody else sees.
type engine struct {
	t    *testing.T
	cmd  *exec.Cmd
	sock string
	tree string // a copy of the checkout's deploy/, for host's shell
}

// cache keeps the engine's images from one run to the next.
func cache(t *testing.T) string {
	t.Helper()
	root, err := lab.Root()
	must(t, err)
	dir := filepath.Join(root, ".cache", "containers")
	must(t, os.MkdirAll(dir, 0o755))
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// start runs an engine in the network of h, or in this host's. Its containers can
// have the host's network only, which is what the site uses.
func start(t *testing.T, l *lab.Lab, name string, h *lab.Host) *engine {
	t.Helper()
	for _, program := range []string{"dockerd", "docker", "docker-compose"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%v; apt-get install --no-install-recommends docker.io docker-compose", err)
		}
	}
	dir := l.Path(name)
	must(t, os.MkdirAll(dir, 0o755))
	e := &engine{t: t, sock: filepath.Join(dir, "sock"), tree: filepath.Join(dir, "tree")}
	script := `for d in etc srv var/lib; do
  mkdir -p "$0/$d/up" "$0/$d/work"
  mount -t overlay overlay -o "lowerdir=/$d,upperdir=$0/$d/up,workdir=$0/$d/work" "/$d"
done
exec "$@"`
	e.cmd = exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-euc", script, dir,
		"dockerd", "--data-root", filepath.Join(cache(t), "engine"), "--exec-root", filepath.Join(dir, "exec"),
		"--host", "unix://"+e.sock, "--pidfile", filepath.Join(dir, "pid"), "--iptables=false", "--bridge=none", "--log-level=warn")
	log, err := os.Create(filepath.Join(dir, "log"))
	must(t, err)
	defer log.Close()
	e.cmd.Stdout, e.cmd.Stderr = log, log
	e.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if h == nil {
		must(t, e.cmd.Start())
	} else {
		must(t, h.Do(e.cmd.Start))
	}
	t.Cleanup(e.stop)
	must(t, os.CopyFS(filepath.Join(e.tree, "deploy"), os.DirFS("..")))
	err = lab.Poll(time.Minute, func() error {
		_, err := e.try("docker info")
		return err
	})
	if err != nil {
		said, _ := os.ReadFile(log.Name())
		t.Fatalf("the engine does not come up: %v\n%s", err, said)
	}
	return e
}

// stop ends the containers and the engine, and waits for it.
func (e *engine) stop() {
	if e.cmd == nil {
		return
	}
	_, _ = e.try("docker ps -aq | xargs -r docker rm -f")
	_ = e.cmd.Process.Signal(syscall.SIGTERM)
	_ = e.cmd.Wait()
	e.cmd = nil
}

// try runs a script of the host's shell from the top of the checkout.
func (e *engine) try(script string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	// Debian 12 has the compose that is called with a hyphen.
	script = strings.ReplaceAll(script, "docker compose ", "docker-compose ")
	cmd := exec.CommandContext(ctx, "nsenter", "--target", fmt.Sprint(e.cmd.Process.Pid), "--mount", "--net", "--wd="+e.tree, "bash", "-euo", "pipefail", "-c", script)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + e.tree, "DOCKER_HOST=unix://" + e.sock, "DOCKER_BUILDKIT=0", "LC_ALL=C.UTF-8"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		err = fmt.Errorf("%s: %w: %s", script, err, strings.Join(lines[max(0, len(lines)-25):], "\n"))
	}
	return strings.TrimSpace(string(out)), err
}

func (e *engine) run(script string) string {
	e.t.Helper()
	out, err := e.try(script)
	must(e.t, err)
	return out
}

// until waits for what a script says.
func (e *engine) until(want, script string) {
	e.t.Helper()
	err := lab.Poll(2*time.Minute, func() error {
		out, err := e.try(script)
		if err == nil && !strings.Contains(out, want) {
			err = fmt.Errorf("%s: %q is not in %q", script, want, out)
		}
		return err
	})
	if err != nil {
		e.t.Fatalf("%v\n%s", err, e.told())
	}
}

// told is what the containers and their logs say.
func (e *engine) told() string {
	out, _ := e.try(`docker ps -a; for c in $(docker ps -aq); do docker inspect -f '{{.Name}} {{.State.Error}} {{range .State.Health.Log}}{{.Output}} {{end}}' $c || true; docker logs --tail 15 $c; done 2>&1`)
	return out
}
