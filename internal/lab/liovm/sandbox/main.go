// Sandbox runs a program as systemd runs a unit with ProtectSystem=strict,
// ProtectKernelTunables, PrivateDevices, PrivateTmp and NoNewPrivileges, in a guest
// that has no systemd: what may be written and which capabilities are left is the
// same. It tries that before the program starts. There is no system call filter.
//
//	sandbox -write /srv,/sys/kernel/config -capabilities CAP_CHOWN,CAP_FOWNER /job/ipxe-agent
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

func main() {
	write := flag.String("write", "", "paths that stay writable, with commas")
	capabilities := flag.String("capabilities", "", "what may be kept, with commas")
	flag.Parse()
	runtime.LockOSThread() // what follows is of one thread, from which the program is forked
	err := confine(strings.Split(*write, ","))
	if err == nil {
		err = drop(strings.Split(*capabilities, ","))
	}
	if err == nil {
		err = try()
	}
	if err == nil {
		cmd := exec.Command(flag.Arg(0), flag.Args()[1:]...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		err = cmd.Run()
	}
	fmt.Println("sandbox:", err)
	os.Exit(1)
}

// confine makes every mount read-only but those of the paths, in a mount
// namespace of our own.
func confine(paths []string) error {
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("unshare: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return fmt.Errorf("keep mounts to ourselves: %w", err)
	}
	if err := unix.Mount("tmpfs", "/tmp", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, ""); err != nil {
		return fmt.Errorf("mount /tmp: %w", err)
	}
	if err := devices(); err != nil {
		return err
	}
	for _, path := range paths {
		if err := os.MkdirAll(path, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(path, path, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("bind %s: %w", path, err)
		}
	}
	all := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(-1, "/", unix.AT_RECURSIVE, &all); err != nil {
		return fmt.Errorf("make all read-only: %w", err)
	}
	for _, path := range append(paths, "/tmp") {
		attr := unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
		if err := unix.MountSetattr(-1, path, unix.AT_RECURSIVE, &attr); err != nil {
			return fmt.Errorf("make %s writable: %w", path, err)
		}
	}
	return nil
}

// devices leaves those that are no hardware.
func devices() error {
	if err := unix.Mount("tmpfs", "/dev", "tmpfs", unix.MS_NOSUID|unix.MS_NOEXEC, "mode=755"); err != nil {
		return fmt.Errorf("mount /dev: %w", err)
	}
	for name, minor := range map[string]uint32{"null": 3, "zero": 5, "full": 7, "random": 8, "urandom": 9} {
		if err := unix.Mknod("/dev/"+name, unix.S_IFCHR|0o666, int(unix.Mkdev(1, minor))); err != nil {
			return fmt.Errorf("make /dev/%s: %w", name, err)
		}
	}
	return nil
}

// numbers of linux/capability.h.
var numbers = map[string]uintptr{
	"CAP_CHOWN": unix.CAP_CHOWN, "CAP_DAC_OVERRIDE": unix.CAP_DAC_OVERRIDE, "CAP_DAC_READ_SEARCH": unix.CAP_DAC_READ_SEARCH,
	"CAP_FOWNER": unix.CAP_FOWNER, "CAP_IPC_LOCK": unix.CAP_IPC_LOCK, "CAP_NET_BIND_SERVICE": unix.CAP_NET_BIND_SERVICE,
	"CAP_NET_RAW": unix.CAP_NET_RAW, "CAP_SYS_RESOURCE": unix.CAP_SYS_RESOURCE,
}

// drop takes all capabilities but the named out of the set from which the
// program, started by root, gets its own.
func drop(names []string) error {
	kept := map[uintptr]bool{}
	for _, name := range names {
		number, ok := numbers[name]
		if !ok {
			return fmt.Errorf("unknown capability %q", name)
		}
		kept[number] = true
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if kept[c] {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil {
			return fmt.Errorf("drop capability %d: %w", c, err)
		}
	}
	return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// try holds that the sandbox is one.
func try() error {
	for _, path := range []string{"/etc-probe", "/run/probe", "/dev/probe", "/proc/sys/kernel/domainname"} {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
		if err == nil {
			f.Close()
			return fmt.Errorf("%s can be written", path)
		}
		if !errors.Is(err, unix.EROFS) {
			return fmt.Errorf("%s cannot be written for another reason: %w", path, err)
		}
	}
	status, err := os.ReadFile("/proc/thread-self/status")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "CapBnd") || strings.HasPrefix(line, "NoNewPrivs") {
			fmt.Print("sandbox: ", line)
		}
	}
	return nil
}
