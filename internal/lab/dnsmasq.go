package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Dnsmasq is the DHCP and TFTP server, run with the shipped configuration and
// boot scripts.
type Dnsmasq struct {
	*Process
	HostsFile string
	PIDFile   string
	LeaseFile string
	TFTPRoot  string
}

// StartDnsmasq runs dnsmasq on h. The configuration is deploy/dnsmasq of the
// checkout, with nothing but the names of its files changed.
func (h *Host) StartDnsmasq(hostsFile string) (*Dnsmasq, error) {
	if err := need("dnsmasq", undionly, snponly); err != nil {
		return nil, err
	}
	l := h.lab
	d := &Dnsmasq{
		HostsFile: hostsFile,
		PIDFile:   l.Path("dnsmasq.pid"),
		LeaseFile: l.Path("dnsmasq.leases"),
		TFTPRoot:  l.Path("tftp"),
	}
	root, err := Root()
	if err != nil {
		return nil, err
	}
	if err := fillTFTPRoot(d.TFTPRoot, filepath.Join(root, "deploy", "tftp")); err != nil {
		return nil, err
	}
	shipped, err := os.ReadFile(filepath.Join(root, "deploy", "dnsmasq", "dnsmasq.conf"))
	if err != nil {
		return nil, fmt.Errorf("start dnsmasq: %w", err)
	}
	conf, err := setOptions(string(shipped), map[string]string{
		"dhcp-hostsfile": d.HostsFile,
		"dhcp-leasefile": d.LeaseFile,
		"pid-file":       d.PIDFile,
		"tftp-root":      d.TFTPRoot,
	})
	if err != nil {
		return nil, err
	}
	file := l.Path("dnsmasq.conf")
	if err := os.WriteFile(file, []byte(conf), 0o644); err != nil {
		return nil, fmt.Errorf("start dnsmasq: %w", err)
	}
	if d.Process, err = h.Start("dnsmasq", nil, "dnsmasq", "--keep-in-foreground", "--conf-file="+file, "--log-facility=-"); err != nil {
		return nil, err
	}
	if _, err := d.Log.WaitFor("read "+hostsFile, Patience); err != nil {
		return nil, fmt.Errorf("start dnsmasq: %w", err)
	}
	return d, nil
}

// Reload makes dnsmasq read the hosts file again, and returns when it has.
func (d *Dnsmasq) Reload() error {
	d.Log.Skip()
	if err := d.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		return fmt.Errorf("reload dnsmasq: %w", err)
	}
	_, err := d.Log.WaitFor("read "+d.HostsFile, Patience)
	return err
}

// setOptions replaces the values of options that conf has, each exactly once.
func setOptions(conf string, values map[string]string) (string, error) {
	lines := strings.Split(conf, "\n")
	set := map[string]int{}
	for i, line := range lines {
		key, _, _ := strings.Cut(line, "=")
		if v, ok := values[key]; ok {
			lines[i] = key + "=" + v
			set[key]++
		}
	}
	for key := range values {
		if set[key] != 1 {
			return "", fmt.Errorf("configure dnsmasq: dnsmasq.conf has %d lines %s=, not one", set[key], key)
		}
	}
	return strings.Join(lines, "\n"), nil
}

// fillTFTPRoot puts the shipped scripts and Debian's iPXE into dir.
func fillTFTPRoot(dir, scripts string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("fill tftp root: %w", err)
	}
	files, _ := filepath.Glob(filepath.Join(scripts, "*.ipxe*")) // the pattern is sound
	if len(files) == 0 {
		return fmt.Errorf("fill tftp root: %s holds no iPXE script", scripts)
	}
	for _, file := range append(files, undionly, snponly) {
		if err := copyFile(filepath.Join(dir, filepath.Base(file)), file); err != nil {
			return fmt.Errorf("fill tftp root: %w", err)
		}
	}
	return nil
}

// copyFile makes the copy readable by all, as dnsmasq's user needs it.
func copyFile(to, from string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o644)
}

// Root is the top folder of the checkout that the process runs in.
func Root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find checkout: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("find checkout: no go.mod in %s or above", start)
		}
	}
}
