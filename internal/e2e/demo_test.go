//go:build e2e

package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/lab"
)

func TestTheDemoShowsARunningSiteAndLeavesNothingBehind(t *testing.T) {
	demo, checkout := buildDemo(t)
	t.Cleanup(func() { _, _ = demo("down") }) // for a test that ends early

	out, err := demo("up")
	if err != nil {
		t.Fatalf("demo up: %v\n%s", err, out)
	}
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(out)
	if got := get(t, address+"/workers"); !strings.Contains(got, `"worker_id":"worker-01"`) {
		t.Errorf("the demo's workers are %s, want worker-01 among them", got)
	}
	console := regexp.MustCompile(`(http://127\.0\.0\.1:\d+)/\n`).FindStringSubmatch(out)
	if console == nil {
		t.Fatalf("demo up says no address of the browser console:\n%s", out)
	}
	for path, want := range map[string]string{
		"/": "<title>", "/api/cp/workers": `"worker_id":"worker-01"`, "/api/browse/": `"name":"README.txt"`, "/file/README.txt": "menu.ipxe",
	} {
		if got := get(t, console[1]+path); !strings.Contains(got, want) {
			t.Errorf("the demo's %s is %s, want %s in it", path, got, want)
		}
	}
	state := stateOf(t, checkout)
	t.Logf("demo up: the control plane answers on %s and has worker-01", address)

	if again, err := demo("up"); err != nil || !strings.Contains(again, "The demo is up already.") || !strings.Contains(again, address) {
		t.Errorf("a second demo up: %v\n%s", err, again)
	}
	if out, err := demo("down"); err != nil || !strings.Contains(out, "nothing of it is left") {
		t.Errorf("demo down: %v\n%s", err, out)
	}
	leavesNothing(t, checkout, state)
}

func TestADemoThatWasKilledIsTakenDownWhole(t *testing.T) {
	demo, checkout := buildDemo(t)
	t.Cleanup(func() { _, _ = demo("down") }) // for a test that ends early
	if out, err := demo("up"); err != nil {
		t.Fatalf("demo up: %v\n%s", err, out)
	}
	state := stateOf(t, checkout)
	must(t, syscall.Kill(state.PID, syscall.SIGKILL))
	if out, err := demo("down"); err != nil {
		t.Errorf("demo down: %v\n%s", err, out)
	}
	leavesNothing(t, checkout, state)
}

// buildDemo makes a folder that passes for a checkout of its own, so that a
// demo which somebody runs in the real one is left alone.
func buildDemo(t *testing.T) (demo func(command string) (string, error), checkout string) {
	t.Helper()
	root, err := lab.Root()
	must(t, err)
	checkout = t.TempDir()
	for _, name := range []string{"go.mod", "bin", "deploy"} {
		must(t, os.Symlink(filepath.Join(root, name), filepath.Join(checkout, name)))
	}
	program := filepath.Join(checkout, "demo")
	build := exec.Command("go", "build", "-o", program, "./internal/lab/demo")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the demo: %v\n%s", err, out)
	}
	return func(command string) (string, error) {
		cmd := exec.Command(program, command)
		cmd.Dir = checkout
		out, err := cmd.CombinedOutput()
		return string(out), err
	}, checkout
}

type demoState struct {
	PID int
	Lab string
}

func stateOf(t *testing.T, checkout string) (s demoState) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(checkout, ".demo", "state.json"))
	must(t, err)
	must(t, json.Unmarshal(b, &s))
	return s
}

// leavesNothing looks for files, namespaces and processes; a process is known
// by the folder that it runs in.
func leavesNothing(t *testing.T, checkout string, was demoState) {
	t.Helper()
	for _, pattern := range []string{filepath.Join(checkout, ".demo"), was.Lab, "/run/netns/" + filepath.Base(was.Lab) + "-*"} {
		left, err := filepath.Glob(pattern)
		must(t, err)
		if len(left) > 0 {
			t.Errorf("still there: %q", left)
		}
	}
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	must(t, err)
	for _, link := range links {
		cwd, err := os.Readlink(link)
		if err == nil && (strings.HasPrefix(cwd, checkout) || strings.HasPrefix(cwd, was.Lab)) {
			t.Errorf("a process of the demo is still there: %s", filepath.Dir(link))
		}
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	must(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	must(t, err)
	return string(b)
}
