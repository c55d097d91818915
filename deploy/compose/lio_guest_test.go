//go:build liovm_guest

package compose

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Where the virtual machine has the image's files and the node's folder.
const (
	guestRoot   = "/mnt/root"
	guestImages = "/srv/images"
)

// TestTheAgentRuns is what runs in the virtual machine: the agent of the image,
// as Docker would start it, with what Linux itself has for that.
func TestTheAgentRuns(t *testing.T) {
	if err := mountLikeDocker(); err != nil {
		t.Fatal(err)
	}
	keep := "-all,+" + strings.ReplaceAll(strings.ToLower(os.Getenv("CAPABILITIES")), " ", ",+")
	cmd := exec.Command("/usr/bin/setpriv", "--bounding-set="+keep, "--inh-caps=-all", "--no-new-privs", "/usr/bin/ipxe-agent")
	cmd.Dir, cmd.Stdout, cmd.Stderr = "/", os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: guestRoot}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
}

func mountLikeDocker() error {
	for _, m := range []struct {
		source, target, kind string
		flags                uintptr
	}{
		{"", "", "", unix.MS_REMOUNT | unix.MS_RDONLY},
		{"proc", "/proc", "proc", 0},
		{"sysfs", "/sys", "sysfs", unix.MS_RDONLY},
		{"/sys/kernel/config", "/sys/kernel/config", "", unix.MS_BIND},
		{"/dev", "/dev", "", unix.MS_BIND},
		{"tmpfs", "/run", "tmpfs", 0},
		{"tmpfs", "/tmp", "tmpfs", 0},
		{"tmpfs", "/var/lib/ipxe-agent", "tmpfs", 0},
		{guestImages, guestImages, "", unix.MS_BIND},
	} {
		if err := unix.Mount(m.source, guestRoot+m.target, m.kind, m.flags, ""); err != nil {
			return fmt.Errorf("mount %s: %w", m.target, err)
		}
	}
	return nil
}
