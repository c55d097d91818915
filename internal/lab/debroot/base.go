package debroot

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Base is a root of suite with packages beside the smallest system that boots.
// It is made once, in half a minute to a few minutes, and kept below cache: it
// must not be changed.
func Base(cache, suite string, packages ...string) (string, error) {
	packages = append([]string{"systemd", "systemd-sysv", "dbus", "iproute2"}, packages...)
	slices.Sort(packages)
	list := strings.Join(slices.Compact(packages), ",")
	sum := sha256.Sum256([]byte(list))
	dir := filepath.Join(cache, fmt.Sprintf("%s-%x", suite, sum[:4]))
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	release, err := lock(dir + ".lock")
	if err != nil {
		return "", err
	}
	defer release()
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	part := dir + ".part"
	if err := os.RemoveAll(part); err != nil {
		return "", err
	}
	out, err := exec.Command("debootstrap", "--variant=minbase", "--include="+list, suite, part).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("debootstrap %s: %w: %s", suite, err, tail(out))
	}
	return dir, os.Rename(part, dir)
}

func lock(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

// tail is the end of what a program said.
func tail(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}
