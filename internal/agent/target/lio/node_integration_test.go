//go:build integration

package lio_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"

	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/liovm"
)

const (
	diskIQN  = "iqn.2026-07.com.liotest:w1.debian"
	diskSize = 64 << 20
)

// node is a storage node whose kernel has LIO, and pc a host that uses it.
type node struct {
	lab     *lab.Lab
	host    *lab.Host
	pc      *lab.Host
	program string
	args    []string // of the program, where a start gives none
	disk    liovm.Disk
	boots   int
}

// newNode makes it with the files of a folder on its disk.
func newNode(t *testing.T, fill func(dir string)) *node {
	t.Helper()
	n := &node{}
	n.lab, n.host, n.program = newGuestHost(t)
	var err error
	n.pc, err = n.lab.AddHost("pc", netip.MustParseAddr("192.168.80.49"))
	must(t, err)
	n.disk = liovm.Disk{File: n.lab.Path("node.raw"), Mount: "/mnt/images"}
	must(t, os.WriteFile(n.disk.File, nil, 0o644))
	must(t, os.Truncate(n.disk.File, 256<<20))
	images := n.lab.Path("images")
	must(t, os.Mkdir(images, 0o755))
	fill(images)
	if out, err := exec.CommandContext(t.Context(), "mkfs.ext4", "-q", "-d", images, n.disk.File).CombinedOutput(); err != nil {
		t.Fatalf("mkfs.ext4: %v: %s", err, out)
	}
	return n
}

// boot starts the node and exports a disk, which is made when it is not there.
func (n *node) boot(t *testing.T, iqn string) (vm *liovm.VM, serial string) {
	t.Helper()
	vm = n.start(t, liovm.Options{
		Program: n.program, Args: []string{"-test.run=^TestServe$", "-test.timeout=0"}, Env: []string{"IMAGES=" + n.disk.Mount},
	})
	err := lab.Poll(lab.Patience, func() error {
		return n.call(t, "PUT", fmt.Sprintf("/disks/%s?size=%d", iqn, diskSize), &serial)
	})
	if err != nil {
		t.Fatalf("%v; the guest said:\n%s\n%s", err, vm.Output.Tail(10), vm.Console.Tail(10))
	}
	return vm, serial
}

func (n *node) start(t *testing.T, o liovm.Options) *liovm.VM {
	t.Helper()
	n.boots++
	if o.Args == nil {
		o.Args = n.args
	}
	o.Name, o.Network, o.Disks = fmt.Sprintf("node-%d", n.boots), true, []liovm.Disk{n.disk}
	vm, err := liovm.Start(t.Context(), n.lab, n.host, o)
	must(t, err)
	return vm
}

// call speaks with what runs in the guest.
func (n *node) call(t *testing.T, method, path string, into any) error {
	ctx, cancel := context.WithTimeout(t.Context(), lab.Patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, "http://"+guestAddr.String()+path, nil)
	if err != nil {
		return err
	}
	resp, err := n.pc.HTTPClient(lab.Patience).Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, body)
	}
	return json.Unmarshal(body, into)
}

// allocated is what the image takes of the node's file system, in bytes.
func (n *node) allocated(t *testing.T) int64 {
	t.Helper()
	var blocks int64
	must(t, n.call(t, "GET", "/disks/"+diskIQN, &blocks))
	return blocks * 512
}

func url() string { return "iscsi://" + guestAddr.String() + "/" + diskIQN + "/0" }

// run runs a program of the pc to its end.
func (n *node) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), lab.Patience)
	defer cancel()
	var out []byte
	err := n.pc.Do(func() (err error) {
		out, err = exec.CommandContext(ctx, name, args...).CombinedOutput()
		return err
	})
	if err != nil {
		t.Fatalf("%s %q: %v: %s", name, args, err, out)
	}
	return string(out)
}

func (n *node) qemuIO(t *testing.T, commands ...string) string {
	t.Helper()
	args := []string{"-f", "raw", "-t", "writeback", "-d", "unmap"}
	for _, c := range commands {
		args = append(args, "-c", c)
	}
	out := n.run(t, "qemu-io", append(args, url())...)
	if strings.Contains(out, "failed") {
		t.Fatalf("qemu-io %q: %s", commands, out)
	}
	return out
}

// writing runs qemu-io, which stays logged in when its last command, a read, is
// answered: at its end it would flush by itself.
func (n *node) writing(t *testing.T, commands ...string) *lab.Process {
	t.Helper()
	// Lines at once, though it is no terminal; and no flush after each write.
	args := []string{"-oL", "qemu-io", "-f", "raw", "-t", "writeback"}
	for _, c := range append(commands, "sleep 600000") {
		args = append(args, "-c", c)
	}
	p, err := n.pc.Start("writer", nil, "stdbuf", append(args, url())...)
	must(t, err)
	_, err = p.Log.WaitFor(`read 4096/4096 bytes`, lab.Patience)
	must(t, err)
	return p
}
