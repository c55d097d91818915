package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/debroot"
)

// machine is a Debian root to run commands in.
type machine struct {
	checkout string
	base     string
	dir      string // what the machine writes
	goroot   string
	node     string // the program
	npm      string // the folder of its package
}

// build makes the machine and puts a copy of the checkout on it.
func build(ctx context.Context, suite string) (_ *machine, err error) {
	root, err := lab.Root()
	if err != nil {
		return nil, err
	}
	m := &machine{checkout: root}
	if err := m.toolchains(ctx); err != nil {
		return nil, err
	}
	if m.base, err = debroot.Base(filepath.Join(root, ".cache", "roots"), suite, "git", "make"); err != nil {
		return nil, err
	}
	if m.dir, err = os.MkdirTemp(filepath.Join(root, ".cache"), "bare-"); err != nil {
		return nil, err
	}
	for _, name := range []string{"upper/root", "work", "root"} {
		if err := os.MkdirAll(filepath.Join(m.dir, name), 0o755); err != nil {
			return nil, err
		}
	}
	_, err = say(ctx, "git", "clone", "--quiet", "--no-hardlinks", root, filepath.Join(m.dir, "upper", "root", "ipxe-all-ready"))
	return m, err
}

func (m *machine) toolchains(ctx context.Context) (err error) {
	if m.goroot, err = say(ctx, "go", "env", "GOROOT"); err != nil {
		return err
	}
	if m.node, err = say(ctx, "node", "-p", "process.execPath"); err != nil {
		return err
	}
	modules, err := say(ctx, "npm", "root", "--global")
	m.npm = filepath.Join(modules, "npm")
	return err
}

// run runs a command in the checkout on the machine. All that it started has
// ended when it returns: it had numbers of its own for them.
func (m *machine) run(ctx context.Context, command ...string) error {
	script := filepath.Join(m.checkout, "internal", "lab", "bare", "enter.sh")
	args := append([]string{"--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child", "/bin/sh", script,
		m.base, m.dir, m.goroot, m.node, m.npm}, command...)
	cmd := exec.CommandContext(ctx, "unshare", args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(command, " "), err)
	}
	return nil
}

// remove throws away what the machine wrote. The kernel takes the mounts down
// after the last process has ended, which may be a moment later.
func (m *machine) remove() error {
	return lab.Poll(20*time.Second, func() error { return os.RemoveAll(m.dir) })
}

// say runs a program of this host and returns what it printed.
func say(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
