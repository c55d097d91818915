package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// The network is the one dnsmasq.conf ships with, so that the shipped file
// needs no other addresses in the lab.
const prefixBits = 24

// RouterPrefix is the address that makes dnsmasq answer IPv6 router
// solicitations, as dnsmasq.conf describes; iPXE waits long without an answer.
var RouterPrefix = netip.MustParsePrefix("fd5c:91b2:7a40::1/64")

// Host is a network namespace with one card, eth0, on the lab's switch.
type Host struct {
	Addr netip.Addr
	ns   string
	lab  *Lab
}

// addSwitch makes the namespace that holds the bridge and the machines' taps.
// Nothing of it is visible in the host's own network.
func (l *Lab) addSwitch() error {
	sw, err := l.addNamespace("sw")
	if err != nil {
		return err
	}
	l.sw = sw
	return l.inNetwork(
		[]string{"-n", sw.ns, "link", "add", "br0", "type", "bridge", "stp_state", "0", "forward_delay", "0"},
		[]string{"-n", sw.ns, "link", "set", "br0", "up"},
	)
}

// AddHost plugs a new host into the switch. Name is short and unique in the
// lab; further addresses, IPv6 too, are put on the same card.
func (l *Lab) AddHost(name string, addr netip.Addr, more ...netip.Prefix) (*Host, error) {
	h, err := l.addNamespace(name)
	if err != nil {
		return nil, err
	}
	h.Addr = addr
	l.ports++
	port := fmt.Sprintf("port%d", l.ports)
	cmds := [][]string{
		{"-n", h.ns, "link", "add", "eth0", "type", "veth", "peer", "name", port, "netns", l.sw.ns},
		{"-n", l.sw.ns, "link", "set", port, "master", "br0", "up"},
		{"-n", h.ns, "address", "add", netip.PrefixFrom(addr, prefixBits).String(), "dev", "eth0"},
	}
	for _, p := range more {
		add := []string{"-n", h.ns, "address", "add", p.String(), "dev", "eth0"}
		if p.Addr().Is6() {
			add = append(add, "nodad") // usable at once: no address here is anyone else's
		}
		cmds = append(cmds, add)
	}
	cmds = append(cmds, []string{"-n", h.ns, "link", "set", "eth0", "up"})
	return h, l.inNetwork(cmds...)
}

// addTap makes the switch's port for one machine.
func (l *Lab) addTap() (string, error) {
	l.taps++
	tap := fmt.Sprintf("tap%d", l.taps)
	return tap, l.inNetwork(
		[]string{"-n", l.sw.ns, "tuntap", "add", tap, "mode", "tap"},
		[]string{"-n", l.sw.ns, "link", "set", tap, "master", "br0", "up"},
	)
}

func (l *Lab) addNamespace(name string) (*Host, error) {
	h := &Host{ns: l.name + "-" + name, lab: l}
	l.onClose(func() error { return removeNamespace(h.ns) })
	return h, l.inNetwork(
		[]string{"netns", "add", h.ns},
		[]string{"-n", h.ns, "link", "set", "lo", "up"},
	)
}

func (l *Lab) inNetwork(cmds ...[]string) error {
	for _, args := range cmds {
		if _, err := run("ip", args...); err != nil {
			return err
		}
	}
	return nil
}

const netnsDir = "/run/netns"

// removeNamespace kills what still runs in the namespace (a daemon may have
// left the process that we started, as a managed tgtd does) and removes it.
func removeNamespace(ns string) error {
	if _, err := os.Stat(filepath.Join(netnsDir, ns)); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	deadline := time.Now().Add(Patience)
	for {
		out, err := run("ip", "netns", "pids", ns)
		if err != nil {
			return err
		}
		pids := strings.Fields(out)
		if len(pids) == 0 || time.Now().After(deadline) {
			break
		}
		for _, s := range pids {
			var pid int
			if _, err := fmt.Sscan(s, &pid); err == nil && pid != os.Getpid() {
				_ = syscall.Kill(pid, syscall.SIGKILL) // gone already is as good
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	_, err := run("ip", "netns", "delete", ns)
	return err
}

// run runs a short command to its end and returns what it printed.
func run(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	if err := need(name); err != nil {
		return "", err
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return out.String(), nil
}
