package debroot

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ipxe-all-ready/internal/lab"
)

//go:embed boot.sh
var bootScript []byte

// Machine is one that runs systemd. It has a network of its own, with a
// loopback and nothing else.
type Machine struct {
	cmd    *exec.Cmd
	log    bytes.Buffer
	groups []string
	script string
	init   int // systemd's process, as this host numbers it
}

// bootTime is how long systemd may take to its last unit.
const bootTime = 2 * time.Minute

// Boot starts a machine on a copy of base that is gone when it is closed.
func Boot(ctx context.Context, base string) (_ *Machine, err error) {
	m := &Machine{}
	defer func() {
		if err != nil {
			m.Close()
		}
	}()
	f, err := os.CreateTemp("", "debroot-*.sh")
	if err != nil {
		return nil, err
	}
	m.script = f.Name()
	if _, err = f.Write(bootScript); err == nil {
		err = f.Close()
	}
	if err != nil {
		return nil, err
	}
	if err := m.group(); err != nil {
		return nil, err
	}
	if err := m.start(base); err != nil {
		return nil, err
	}
	return m, m.booted(ctx)
}

// group makes a control group for the machine in each hierarchy that systemd uses.
func (m *Machine) group() error {
	root := "/sys/fs/cgroup/systemd"
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil {
		root = "/sys/fs/cgroup"
	}
	dir := filepath.Join(root, fmt.Sprintf("debroot-%d-%s", os.Getpid(), filepath.Base(m.script)))
	m.groups = append(m.groups, dir)
	return os.Mkdir(dir, 0o755)
}

func (m *Machine) start(base string) error {
	// The shell moves itself into the group, so that the namespace begins there.
	enter := "for g in " + strings.Join(m.groups, " ") + "; do echo $$ >$g/cgroup.procs; done\n" +
		"exec unshare --mount --pid --net --uts --ipc --cgroup --fork --kill-child /bin/sh " + m.script + " " + base + "\n"
	m.cmd = exec.Command("/bin/sh")
	m.cmd.Stdin = strings.NewReader(enter)
	m.cmd.Stdout, m.cmd.Stderr = &m.log, &m.log
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	return m.cmd.Start()
}

func (m *Machine) booted(ctx context.Context) error {
	err := lab.Poll(bootTime, func() error {
		if m.init == 0 {
			if m.init = m.child(); m.init == 0 {
				return errors.New("there is no systemd yet")
			}
		}
		out, err := m.Run(ctx, "systemctl", "is-system-running")
		if state := strings.TrimSpace(out); err != nil && state != "degraded" {
			return fmt.Errorf("systemd says %q", state)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("the machine does not come up: %w: %s", err, tail(m.log.Bytes()))
	}
	return nil
}

// child is the process that unshare forked, once it is systemd.
func (m *Machine) child() int {
	pid := strconv.Itoa(m.cmd.Process.Pid)
	list, _ := os.ReadFile("/proc/" + pid + "/task/" + pid + "/children")
	child, err := strconv.Atoi(strings.TrimSpace(string(list)))
	if err != nil {
		return 0
	}
	if comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", child)); strings.TrimSpace(string(comm)) != "systemd" {
		return 0
	}
	return child
}

// Path is where this host sees a file of the machine.
func (m *Machine) Path(name string) string {
	return filepath.Join(fmt.Sprintf("/proc/%d/root", m.init), name)
}

// Command is a program in the machine, for who wants to speak to it.
func (m *Machine) Command(ctx context.Context, args ...string) *exec.Cmd {
	enter := []string{"--target", strconv.Itoa(m.init), "--mount", "--pid", "--net", "--uts", "--ipc", "--cgroup", "--root", "--wd"}
	cmd := exec.CommandContext(ctx, "nsenter", append(enter, args...)...)
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8", "SYSTEMD_PAGER=", "SYSTEMD_COLORS=0"}
	return cmd
}

// Run runs a program in the machine and gives what it says.
func (m *Machine) Run(ctx context.Context, args ...string) (string, error) {
	out, err := m.Command(ctx, args...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, tail(out))
	}
	return string(out), err
}

// Wire puts a cable between the card eth1 of both machines, which have none yet. It
// goes with either of them.
func Wire(a, b *Machine) error {
	cmd := exec.Command("ip", "link", "add", "eth1", "netns", strconv.Itoa(a.init), "type", "veth", "peer", "name", "eth1", "netns", strconv.Itoa(b.init))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("wire two machines: %w: %s", err, tail(out))
	}
	return nil
}

// Close ends the machine and every process in it.
func (m *Machine) Close() {
	if m.cmd != nil && m.cmd.Process != nil {
		if m.init != 0 {
			_ = syscall.Kill(m.init, syscall.SIGKILL) // the namespace dies with its first process
		}
		_ = m.cmd.Process.Kill()
		_ = m.cmd.Wait()
	}
	for _, dir := range m.groups {
		for range 50 { // the last processes may still be going
			if err := removeGroup(dir); err == nil || errors.Is(err, os.ErrNotExist) {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	_ = os.Remove(m.script)
}

// removeGroup removes a control group and those below it, which are folders
// whose files cannot be removed.
func removeGroup(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := removeGroup(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return os.Remove(dir)
}
