//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"ipxe-all-ready/internal/lab"
)

func TestTheDemoShowsARunningSiteAndLeavesNothingBehind(t *testing.T) {
	demo, checkout := buildDemo(t)
	t.Cleanup(func() { _, _ = demo("down") }) // for a test that ends early

	out, err := demo("up")
	if err != nil {
		t.Fatalf("demo up: %v\n%s", err, out)
	}
	terminal := regexp.MustCompile(`bin/ipxe-tui --url (http://127\.0\.0\.1:\d+)\n`).FindStringSubmatch(out)
	if terminal == nil {
		t.Fatalf("demo up says no line for the terminal console:\n%s", out)
	}
	address := terminal[1]
	if got := get(t, address+"/workers"); !strings.Contains(got, `"worker_id":"worker-01"`) || !strings.Contains(got, `"state":"ready"`) {
		t.Errorf("the demo's workers are %s, want worker-01 ready", got)
	}
	if said := "worker-01 has booted from iSCSI. Its disk says: ubuntu from node-1 boot 1\n"; !strings.Contains(out, said) {
		t.Errorf("demo up says %q, without %q", out, said)
	}
	fileHas(t, filepath.Join(checkout, ".demo", "lab", "worker-01.guest"), `GUEST ubuntu from node-1 boot 1\b`)
	console := regexp.MustCompile(`(http://127\.0\.0\.1:\d+)/\n`).FindStringSubmatch(out)
	if console == nil {
		t.Fatalf("demo up says no address of the browser console:\n%s", out)
	}
	for path, want := range map[string]string{
		"/": `<script type="module"`, "/browse/": `<script type="module"`, // as make web builds them
		"/api/cp/workers": `"worker_id":"worker-01"`, "/api/browse/": `"name":"README.txt"`, "/file/README.txt": "menu.ipxe",
	} {
		if got := get(t, console[1]+path); !strings.Contains(got, want) {
			t.Errorf("the demo's %s is %s, want %s in it", path, got, want)
		}
	}
	state := stateOf(t, checkout)
	t.Logf("demo up: the control plane answers on %s and has worker-01, which has booted", address)

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
	first := stateOf(t, checkout)
	kill(t, first.PID)
	if out, err := demo("up"); err != nil || !strings.Contains(out, "has booted from iSCSI") {
		t.Fatalf("demo up after the kill: %v\n%s", err, out)
	}
	second := stateOf(t, checkout)
	kill(t, second.PID)
	if out, err := demo("down"); err != nil {
		t.Errorf("demo down: %v\n%s", err, out)
	}
	leavesNothing(t, checkout, first)
	leavesNothing(t, checkout, second)
}

func TestADemoThatIsInterruptedWhileItComesUpLeavesNothingAndComesUpTheNextTime(t *testing.T) {
	demo, checkout := buildDemo(t)
	t.Cleanup(func() { _, _ = demo("down") }) // for a test that ends early
	for _, step := range []string{"starting everything", "is switched on", "it gets a disk"} {
		up, said := begin(t, checkout, step)
		state := stateOf(t, checkout)
		must(t, up.Process.Signal(os.Interrupt))
		if err := up.Wait(); err == nil || !strings.Contains(said(), "interrupted; nothing is left running") {
			t.Errorf("interrupted after %q: %v\n%s", step, err, said())
		}
		must(t, os.RemoveAll(filepath.Join(checkout, ".demo"))) // its log alone is in there
		leavesNothing(t, checkout, state)
	}
	up, _ := begin(t, checkout, "is switched on")
	state := stateOf(t, checkout)
	must(t, up.Process.Kill()) // the demo itself goes on
	_ = up.Wait()
	if out, err := demo("up"); err != nil || !strings.Contains(out, "at work; waiting for it") || !strings.Contains(out, "The demo is up already.") {
		t.Errorf("demo up beside one that comes up: %v\n%s", err, out)
	}
	if again := stateOf(t, checkout); again.PID != state.PID {
		t.Errorf("there are two demos, process %d and %d", state.PID, again.PID)
	}
	if out, err := demo("down"); err != nil {
		t.Errorf("demo down: %v\n%s", err, out)
	}
	leavesNothing(t, checkout, state)
}

// kill returns when the process has ended.
func kill(t *testing.T, pid int) {
	t.Helper()
	must(t, syscall.Kill(pid, syscall.SIGKILL))
	must(t, lab.Poll(lab.Patience, func() error {
		if _, err := lab.StartTime(pid); err == nil {
			return fmt.Errorf("process %d is still there", pid)
		}
		return nil
	}))
}

// begin starts demo up and returns when it has said that and has a state.
func begin(t *testing.T, checkout, step string) (up *exec.Cmd, said func() string) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "up")
	f, err := os.Create(log)
	must(t, err)
	defer f.Close()
	up = exec.Command(filepath.Join(checkout, "demo"), "up")
	up.Dir, up.Stdout, up.Stderr = checkout, f, f
	must(t, up.Start())
	said = func() string {
		b, err := os.ReadFile(log)
		must(t, err)
		return string(b)
	}
	must(t, lab.Poll(4*time.Minute, func() error {
		if _, err := os.Stat(filepath.Join(checkout, ".demo", "state.json")); err != nil {
			return err
		}
		if text := said(); !strings.Contains(text, step) {
			return fmt.Errorf("demo up does not say %q, but %q", step, text)
		}
		return nil
	}))
	return up, said
}

// buildDemo makes a folder that passes for a checkout of its own, so that a
// demo which somebody runs in the real one is left alone.
func buildDemo(t *testing.T) (demo func(command string) (string, error), checkout string) {
	t.Helper()
	root, err := lab.Root()
	must(t, err)
	checkout = t.TempDir()
	for _, name := range []string{"go.mod", "bin", "deploy", "web"} {
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
