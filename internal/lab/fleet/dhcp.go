package fleet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// roleEnv makes a program that calls PlayRole the DHCP server of a fleet.
const roleEnv = "IPXE_FLEET_ROLE"

// PlayRole must be called first by every program that starts a DHCP server: the
// server is this very program, started anew under the name of dnsmasq, because
// the control plane signals nothing of another name. It does not return in one.
func PlayRole() {
	if os.Getenv(roleEnv) == "" {
		return
	}
	hups := make(chan os.Signal, 64)
	signal.Notify(hups, syscall.SIGHUP)
	fmt.Println("ready")
	go func() {
		for range hups {
			fmt.Println("reload")
		}
	}()
	_, _ = io.Copy(io.Discard, os.Stdin) // until the fleet ends, however it does
	os.Exit(0)
}

// DHCP is what dnsmasq is to a fleet: it knows the bindings as they were when it
// was told to read them last.
type DHCP struct {
	PIDFile string
	hosts   string
	cmd     *exec.Cmd
	stdin   io.Closer
	table   atomic.Pointer[map[string]string]
	reloads atomic.Int64
	done    chan struct{}
}

// StartDHCP reads the bindings in the file hosts; dir, made anew, takes its pid
// file.
func StartDHCP(dir, hosts string) (*DHCP, error) {
	if os.Getenv(roleEnv) != "" {
		return nil, errors.New("a DHCP server started one: its program does not call PlayRole first")
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	named := filepath.Join(dir, "dnsmasq")
	if err := os.Symlink(self, named); err != nil {
		return nil, err
	}
	d := &DHCP{PIDFile: filepath.Join(dir, "dnsmasq.pid"), hosts: hosts, cmd: exec.Command(named), done: make(chan struct{})}
	d.cmd.Env = append(os.Environ(), roleEnv+"=dhcp")
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a terminal's hang-up is no reload
	if d.stdin, err = d.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	lines.Scan() // ready: a signal before would end it
	d.read()
	go func() {
		defer close(d.done)
		for lines.Scan() {
			d.reloads.Add(1)
			d.read()
		}
	}()
	return d, os.WriteFile(d.PIDFile, []byte(strconv.Itoa(d.cmd.Process.Pid)+"\n"), 0o644)
}

// Hostname is the name that a machine gets with its address, "" for none.
func (d *DHCP) Hostname(mac string) string { return (*d.table.Load())[mac] }

// Reloads counts how often it was told to read the bindings.
func (d *DHCP) Reloads() int64 { return d.reloads.Load() }

// Stop ends it.
func (d *DHCP) Stop() {
	_ = d.stdin.Close()
	<-d.done
	_ = d.cmd.Wait()
}

// read takes "52:54:00:00:00:01,worker-01" lines. As with dnsmasq, a file that
// cannot be read drops every host.
func (d *DHCP) read() {
	content, _ := os.ReadFile(d.hosts)
	table := map[string]string{}
	for line := range strings.Lines(string(content)) {
		line, _, _ = strings.Cut(line, "#")
		if mac, name, ok := strings.Cut(strings.TrimSpace(line), ","); ok {
			table[mac] = name
		}
	}
	d.table.Store(&table)
}
