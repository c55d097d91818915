// Guestinit is the first and only process of a liovm guest: it loads the kernel
// modules, mounts what is needed, runs the job's program and switches off.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ipxe-all-ready/internal/lab/liovm/job"
)

func main() {
	if err := run(); err != nil {
		fmt.Println("guestinit:", err)
	}
	unix.Sync()
	// QEMU runs with -no-reboot, so that this ends it.
	if err := unix.Reboot(unix.LINUX_REBOOT_CMD_RESTART); err != nil {
		fmt.Println("guestinit: reboot:", err)
	}
}

func run() error {
	if err := mountAll(early); err != nil {
		return err
	}
	if err := loadModules(); err != nil {
		return err
	}
	if err := mountAll(late); err != nil {
		return err
	}
	var j job.Job
	b, err := os.ReadFile(filepath.Join(job.Folder, job.File))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, &j); err != nil {
		return fmt.Errorf("read job: %w", err)
	}
	if err := mountDisks(j.Mounts); err != nil {
		return err
	}
	if err := network(j.Address); err != nil {
		return err
	}
	status, err := work(j)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(job.Folder, job.Status), []byte(strconv.Itoa(status)), 0o644)
}

func loadModules() error {
	order, err := os.ReadFile(filepath.Join(job.Modules, job.ModuleOrder))
	if err != nil {
		return err
	}
	for name := range strings.FieldsSeq(string(order)) {
		f, err := os.Open(filepath.Join(job.Modules, name))
		if err != nil {
			return err
		}
		err = unix.FinitModule(int(f.Fd()), "", 0)
		_ = f.Close()
		// ENODEV: made for another processor, as crc32c-intel may be.
		if err != nil && !errors.Is(err, unix.ENODEV) && !errors.Is(err, unix.EEXIST) {
			return fmt.Errorf("load module %s: %w", name, err)
		}
	}
	return nil
}

// mount is one file system of the guest.
type mount struct{ source, target, kind, options string }

var (
	early = []mount{
		{"proc", "/proc", "proc", ""},
		{"sysfs", "/sys", "sysfs", ""},
		{"devtmpfs", "/dev", "devtmpfs", ""},
		{"tmpfs", "/tmp", "tmpfs", ""},
		{"tmpfs", "/run", "tmpfs", ""},
	}
	late = []mount{
		{"configfs", "/sys/kernel/config", "configfs", ""},
		{job.Tag, job.Folder, "9p", "trans=virtio,version=9p2000.L,msize=262144"},
	}
)

func mountAll(mounts []mount) error {
	for _, m := range mounts {
		if err := os.MkdirAll(m.target, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := unix.Mount(m.source, m.target, m.kind, 0, m.options); err != nil && !errors.Is(err, unix.EBUSY) {
			return fmt.Errorf("mount %s on %s: %w", m.kind, m.target, err)
		}
	}
	return nil
}

func mountDisks(targets []string) error {
	for i, target := range targets {
		disk := "/dev/vd" + string(rune('a'+i))
		if err := mountAll([]mount{{disk, target, "ext4", ""}}); err != nil {
			return err
		}
	}
	return nil
}

// network raises lo, and eth0 with its address.
func network(address string) error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	if err := raise(s, "lo"); err != nil || address == "" {
		return err
	}
	p, err := netip.ParsePrefix(address)
	if err != nil {
		return err
	}
	mask := netip.PrefixFrom(netip.AddrFrom4([4]byte{255, 255, 255, 255}), p.Bits()).Masked().Addr()
	for _, set := range []struct {
		request uint
		value   netip.Addr
	}{{unix.SIOCSIFADDR, p.Addr()}, {unix.SIOCSIFNETMASK, mask}} {
		card, err := unix.NewIfreq("eth0")
		if err != nil {
			return err
		}
		if err := card.SetInet4Addr(set.value.AsSlice()); err != nil {
			return err
		}
		if err := unix.IoctlIfreq(s, set.request, card); err != nil {
			return fmt.Errorf("set address of eth0: %w", err)
		}
	}
	return raise(s, "eth0")
}

func raise(socket int, name string) error {
	card, err := unix.NewIfreq(name)
	if err != nil {
		return err
	}
	card.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, card); err != nil {
		return fmt.Errorf("raise %s: %w", name, err)
	}
	return nil
}

// work runs the program to its end and returns its exit status.
func work(j job.Job) (int, error) {
	out, err := os.OpenFile(filepath.Join(job.Folder, job.Output), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	defer out.Close()
	cmd := exec.Command(filepath.Join(job.Folder, job.Program), j.Args...)
	cmd.Dir = "/tmp"
	cmd.Env = append([]string{"PATH=/bin", "HOME=/tmp", "TMPDIR=/tmp"}, j.Env...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := os.WriteFile(filepath.Join(job.Folder, job.Booted), nil, 0o644); err != nil {
		return 0, err
	}
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		return 0, fmt.Errorf("run program: %w", err)
	}
	return cmd.ProcessState.ExitCode(), nil
}
