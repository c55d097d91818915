package liovm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/liovm/job"
)

// Options of one guest.
type Options struct {
	Name    string // of its folder in the lab, and of its process
	Program string // a static binary, on the host
	Args    []string
	Env     []string
	Network bool   // take over the host's card and address
	Disks   []Disk // seen as /dev/vda, …
	Memory  int    // MiB; zero is 768
}

// Disk is one raw file of the host with an ext4 on it.
type Disk struct{ File, Mount string }

// VM is a running guest. It has one life: to boot it again, start another with
// the same disks.
type VM struct {
	Console *lab.Log // what its kernel says
	Output  *lab.Log // what the program prints
	folder  string
	proc    *lab.Process
}

const (
	bootTime  = 90 * time.Second
	bootTries = 3
)

// Start boots a guest in h's network and returns when its program runs. A
// guest that hangs in its boot, as emulated ones now and then do, gets another
// try.
func Start(ctx context.Context, l *lab.Lab, h *lab.Host, o Options) (*VM, error) {
	folder := l.Path(o.Name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("start guest %s: %w", o.Name, err)
	}
	img, err := open(ctx, folder)
	if err != nil {
		return nil, fmt.Errorf("start guest %s: %w", o.Name, err)
	}
	if o.Network {
		if err := h.Do(func() error { return addTap(ctx) }); err != nil {
			return nil, fmt.Errorf("start guest %s: %w", o.Name, err)
		}
	}
	for try := 1; ; try++ {
		vm, err := boot(h, folder, img, o)
		if err == nil {
			return vm, nil
		}
		if try == bootTries || ctx.Err() != nil {
			return nil, fmt.Errorf("start guest %s: %w", o.Name, err)
		}
	}
}

// tap is the guest's port. It and the host's card become one bridge, and the
// host's address becomes the guest's.
const tap = "tap0"

func addTap(ctx context.Context) error {
	if exec.CommandContext(ctx, "ip", "link", "show", tap).Run() == nil {
		return nil // from an earlier guest
	}
	for _, args := range [][]string{
		{"link", "add", "br0", "type", "bridge", "stp_state", "0", "forward_delay", "0"},
		{"address", "flush", "dev", "eth0"},
		{"tuntap", "add", tap, "mode", "tap"},
		{"link", "set", "eth0", "master", "br0"},
		{"link", "set", tap, "master", "br0", "up"},
		{"link", "set", "br0", "up"},
	} {
		if _, err := run(ctx, "", nil, "ip", args...); err != nil {
			return err
		}
	}
	return nil
}

func boot(h *lab.Host, folder string, img image, o Options) (*VM, error) {
	if err := fillFolder(h, folder, o); err != nil {
		return nil, err
	}
	console, output := filepath.Join(folder, "console"), filepath.Join(folder, job.Output)
	vm := &VM{folder: folder, Console: lab.OpenLog(console), Output: lab.OpenLog(output)}
	var err error
	if vm.proc, err = h.Start(o.Name+"-qemu", nil, "qemu-system-x86_64", arguments(h, folder, img, o)...); err != nil {
		return nil, err
	}
	err = lab.Poll(bootTime, func() error {
		if _, err := os.Stat(filepath.Join(folder, job.Booted)); err == nil {
			return nil
		}
		return errors.New("it does not boot")
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w; its console:\n%s", err, vm.Console.Tail(15)), vm.Kill())
	}
	return vm, nil
}

// fillFolder puts down what the guest reads, and takes away what an earlier one
// has written.
func fillFolder(h *lab.Host, folder string, o Options) error {
	for _, name := range []string{job.Booted, job.Status, job.Output} {
		if err := os.Remove(filepath.Join(folder, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	j := job.Job{Args: o.Args, Env: o.Env}
	if o.Network {
		j.Address = h.Addr.String() + "/24"
	}
	for _, d := range o.Disks {
		j.Mounts = append(j.Mounts, d.Mount)
	}
	b, err := json.Marshal(j)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, job.File), b, 0o644); err != nil {
		return err
	}
	program, err := os.ReadFile(o.Program)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, job.Program), program, 0o755)
}

// arguments of QEMU. One processor: with two, guests hang more often.
func arguments(h *lab.Host, folder string, img image, o Options) []string {
	memory := o.Memory
	if memory == 0 {
		memory = 768
	}
	args := []string{
		"-name", o.Name, "-M", "q35,accel=tcg", "-cpu", "max", "-smp", "1", "-m", strconv.Itoa(memory),
		"-display", "none", "-nodefaults", "-no-user-config", "-no-reboot",
		"-serial", "file:" + filepath.Join(folder, "console"),
		"-kernel", img.kernel, "-initrd", img.initramfs, "-append", "console=ttyS0 quiet panic=-1 oops=panic rdinit=/init",
		"-virtfs", "local,path=" + folder + ",mount_tag=" + job.Tag + ",security_model=none,multidevs=remap",
	}
	for _, d := range o.Disks {
		// Writes reach the file when the guest flushes, as with a real disk.
		args = append(args, "-drive", "if=virtio,format=raw,discard=unmap,cache=writeback,file="+d.File)
	}
	if !o.Network {
		return append(args, "-nic", "none")
	}
	a := h.Addr.As4()
	mac := fmt.Sprintf("52:54:%02x:%02x:%02x:%02x", a[0], a[1], a[2], a[3])
	return append(args, "-netdev", "tap,id=net,ifname="+tap+",script=no,downscript=no", "-device", "virtio-net-pci,romfile=,netdev=net,mac="+mac)
}

// Wait waits for the program's end and returns its exit status.
func (vm *VM) Wait(timeout time.Duration) (int, error) {
	select {
	case <-vm.proc.Done():
	case <-time.After(timeout):
		return 0, errors.Join(fmt.Errorf("guest runs longer than %s; it said:\n%s", timeout, vm.Output.Tail(20)), vm.Kill())
	}
	b, err := os.ReadFile(filepath.Join(vm.folder, job.Status))
	if err != nil {
		return 0, fmt.Errorf("guest ended without a status: %w; its console:\n%s", err, vm.Console.Tail(15))
	}
	return strconv.Atoi(string(b))
}

// Kill is a power failure.
func (vm *VM) Kill() error { return vm.proc.Kill() }
