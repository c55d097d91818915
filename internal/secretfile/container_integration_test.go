//go:build integration

package secretfile

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// roleEnv makes this test binary look at a token in mounts that it alone sees.
const roleEnv = "IPXE_TEST_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(roleEnv) == "" {
		os.Exit(m.Run())
	}
	if err := lookInside(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// lookInside mounts a file system at a folder, puts a token of mode 0444 into it,
// and prints what is doubted.
func lookInside(kind, at, path string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	kind, readOnly := strings.CutSuffix(kind, ", read-only")
	options := ""
	if kind == "overlay" { // its layers on a tmpfs, as an overlay is none
		if err := unix.Mount("tmpfs", "/mnt", "tmpfs", 0, ""); err != nil {
			return err
		}
		if err := errors.Join(os.Mkdir("/mnt/low", 0o755), os.Mkdir("/mnt/up", 0o755), os.Mkdir("/mnt/work", 0o755)); err != nil {
			return err
		}
		options = "lowerdir=/mnt/low,upperdir=/mnt/up,workdir=/mnt/work"
	}
	if err := unix.Mount(kind, at, kind, 0, options); err != nil {
		return err
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("a-token-that-is-long"), 0o600), os.Chmod(path, 0o444)); err != nil {
		return err
	}
	if readOnly {
		if err := unix.Mount("", at, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
			return err
		}
	}
	token, err := ReadToken(path)
	fmt.Print(token.Doubt)
	return err
}

func TestATokenThatAnEnginePutIntoItsContainerIsNotDoubtedForItsMode(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		kind, at, path string
		doubted        bool
	}{
		{"tmpfs, read-only", dir, filepath.Join(dir, "token"), false},  // a swarm's or Kubernetes'
		{"tmpfs", dir, filepath.Join(dir, "token"), true},              // a host's /tmp or /dev/shm
		{"tmpfs", "/run", "/run/secrets/token", true},                  // a host's /run
		{"overlay", "/run", "/run/secrets/token", false},               // a container's layer
		{"overlay", "/run", "/run/token", true},                        // what an image holds
		{"overlay, read-only", dir, filepath.Join(dir, "token"), true}, // a host that runs from a CD
	} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], c.kind, c.at, c.path)
		cmd.Env = append(os.Environ(), roleEnv+"=inside")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
		out, err := cmd.CombinedOutput()
		want := ""
		if c.doubted {
			want = `"` + c.path + `" can be read by every user of this host (mode 0444)`
		}
		if err != nil || string(out) != want {
			t.Errorf("%s at %s: %s is told %q, %v; want %q", c.kind, c.at, c.path, out, err, want)
		}
	}
}

// TestAFileOfTheHostThatIsMountedForOneContainerIsDoubted: Compose mounts it as it is.
func TestAFileOfTheHostThatIsMountedForOneContainerIsDoubted(t *testing.T) {
	host, mounted := file(t, "a-token-that-is-long", 0o444), file(t, "", 0o600)
	if err := errors.Join(unix.Mount(host, mounted, "", unix.MS_BIND, ""), unix.Mount("", mounted, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, "")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(mounted, 0); err != nil {
			t.Error(err)
		}
	})
	if token, err := ReadToken(mounted); err != nil || token.Doubt == "" {
		t.Errorf("%v, %q", err, token.Doubt)
	}
}
