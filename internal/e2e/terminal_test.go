//go:build e2e

package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/site"
)

// terminal is a real terminal, tmux's, in the network of the control plane.
type terminal struct {
	t      *testing.T
	socket string
}

func (p *proof) terminal(t *testing.T, command string) *terminal {
	t.Helper()
	x := &terminal{t: t, socket: p.Path("tmux.sock")}
	t.Cleanup(func() { _, _ = x.tmux("kill-server") }) // it stays in the background, which no lab ends
	started, err := p.CP.Start("tmux", []string{"TERM=xterm-256color", "LANG=C.UTF-8", "SHELL=/bin/sh"},
		"tmux", "-u", "-S", x.socket, "-f", "/dev/null", "new-session", "-d", "-s", "console", "-x", "100", "-y", "30", command)
	must(t, err)
	<-started.Done()
	return x
}

func (x *terminal) tmux(args ...string) (string, error) {
	out, err := exec.Command("tmux", append([]string{"-u", "-S", x.socket}, args...)...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("tmux %s: %w: %s", args[0], err, out)
	}
	return string(out), err
}

func (x *terminal) press(keys ...string) {
	x.t.Helper()
	for _, k := range keys {
		_, err := x.tmux("send-keys", "-t", "console", k)
		must(x.t, err)
	}
}

func (x *terminal) screen() string {
	out, err := x.tmux("capture-pane", "-p", "-t", "console")
	if err != nil {
		return err.Error()
	}
	return out
}

// until waits until the screen shows all the texts.
func (x *terminal) until(texts ...string) {
	x.t.Helper()
	must(x.t, lab.Poll(lab.Patience, func() error {
		s := x.screen()
		for _, text := range texts {
			if !strings.Contains(s, text) {
				return fmt.Errorf("the screen lacks %q:\n%s", text, s)
			}
		}
		return nil
	}))
}

// TestAnOperatorWorksInTheTerminalConsole is a person with nothing but SSH, on
// the real daemons: keys into a terminal, disks on real target servers.
func TestAnOperatorWorksInTheTerminalConsole(t *testing.T) {
	p := startSite(t)
	root, err := lab.Root()
	must(t, err)
	x := p.terminal(t, "stty -g; "+filepath.Join(root, "bin", "ipxe-tui")+" --url http://"+site.Address.String()+"; stty -g; echo the console has ended; read wait")

	part(t, "it registers four machines", func(t *testing.T) {
		x.until("+ live", "node-2")
		x.press("2")
		x.until("No worker yet")
		for i := range 4 {
			x.press("n")
			x.until("Register a machine", fmt.Sprintf("worker-%02d", i+1))
			x.press("Tab", fmt.Sprintf("52:54:00:00:00:%02x", i+1), "Enter", "Enter", "Enter", "Enter")
			x.until(fmt.Sprintf("worker-%02d is registered", i+1))
		}
	})

	part(t, "it marks three with shift+down and deals them over two nodes", func(t *testing.T) {
		x.press("Home", "S-Down", "S-Down", "S-Down", "S-Up")
		x.until("* worker-03", "3 marked")
		x.press("b")
		x.until("What disks for 3 workers")
		x.press("Tab", "Tab", "C-u", "64M", "Enter")
		x.until("3 without a node", "[ ] node-2")
		x.press("Space", "Space", "r")
		x.until("node-1  gets 2", "node-2  gets 1")
		x.press("Enter")
		x.until("yes, start")
		x.press("Enter")
		x.until("Task: create disks", "3 succeeded", "0 to go")
	})

	part(t, "the disks stand on the target servers", func(t *testing.T) {
		for worker, node := range map[string]int{"worker-01": 0, "worker-02": 1, "worker-03": 0} {
			_, err := targetOf(p.Nodes[node], site.IQNBase+":"+worker+".ubuntu")
			must(t, err)
		}
		var w api.Worker
		p.call(t, "GET", "/workers/worker-02", "", &w)
		if w.State != "ready" || w.DefaultOS != "ubuntu" {
			t.Errorf("%+v", w)
		}
	})

	part(t, "it deletes two with their files, after their number is typed", func(t *testing.T) {
		x.press("Escape")
		x.until("4 rows · auto")
		x.press("Home", "S-Down", "D")
		x.until("Delete 2 workers", "no, go back")
		x.press("Space", "Tab", "Tab", "2", "Enter", "Right", "Enter")
		x.until("Task: delete workers", "2 succeeded")
		if _, err := targetOf(p.Nodes[1], site.IQNBase+":worker-02.ubuntu"); err == nil {
			t.Error("worker-02's target stands")
		}
	})

	part(t, "it outlives a control plane that is killed, and another window", func(t *testing.T) {
		x.press("Escape")
		x.until("2 rows")
		x.press("Home", "Space")
		must(t, p.ControlPlane.Kill())
		x.until("NO CONNECTION", "* worker-03", "1 marked")
		must(t, p.StartControlPlane())
		x.until("+ live", "* worker-03", "1 marked")
		_, err := x.tmux("resize-window", "-t", "console", "-x", "40", "-y", "10")
		must(t, err)
		x.until("too small: 60×15 is the least")
		_, err = x.tmux("resize-window", "-t", "console", "-x", "60", "-y", "15")
		must(t, err)
		x.until("* worker-03")
		_, err = x.tmux("resize-window", "-t", "console", "-x", "100", "-y", "30")
		must(t, err)
		x.until("* worker-03", "52:54:00:00:00:03")
	})

	part(t, "it leaves the terminal as it was", func(t *testing.T) {
		x.press("n")
		x.until("Register a machine")
		x.press("C-c")
		x.until("the console has ended")
		modes := slices.DeleteFunc(strings.Split(x.screen(), "\n"), func(l string) bool { return !strings.Contains(l, ":") })
		if len(modes) != 2 || modes[0] != modes[1] {
			t.Errorf("the terminal's modes before and after:\n%s", strings.Join(modes, "\n"))
		}
	})
}
