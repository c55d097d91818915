package lab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// namePrefix starts the name of every namespace and temporary folder of every
// lab. Nothing else on a host is called so, and nothing else is ever swept.
const namePrefix = "ipxelab-"

// ownerOf names the process that a lab belongs to: by its number and, because
// numbers come round again, by its start time.
func ownerOf(pid int) (string, error) {
	start, err := StartTime(pid)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s%d-%s", namePrefix, pid, start), nil
}

// StartTime tells when a process started, in clock ticks since the host's
// start. With its number it names a process for good. One that has ended and
// that nobody has waited for yet counts as gone.
func StartTime(pid int) (string, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", fmt.Errorf("read start time of process %d: %w", pid, err)
	}
	// 4711 (a name (of any) sort) S 1 … : the name is the only field with blanks
	// and may hold brackets; the start time is the 20th after it.
	s := string(b)
	fields := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
	if len(fields) < 20 {
		return "", fmt.Errorf("read start time of process %d: %q has too few fields", pid, s)
	}
	if fields[0] == "Z" || fields[0] == "X" {
		return "", fmt.Errorf("read start time of process %d: it has ended", pid)
	}
	return fields[19], nil
}

// Sweep removes what labs left behind whose process is gone.
func Sweep() error {
	var errs []error
	for _, path := range leftovers(netnsDir) {
		errs = append(errs, removeNamespace(filepath.Base(path)))
	}
	for _, path := range leftovers(os.TempDir()) {
		if !isOurs(path) {
			continue
		}
		sockets, _ := filepath.Glob(filepath.Join(path, controlPortFile+"*")) // the pattern is sound
		for _, file := range sockets {
			n, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(file), controlPortFile))
			if err == nil {
				errs = append(errs, removeControlSocket(n))
			}
		}
		errs = append(errs, os.RemoveAll(path))
	}
	return errors.Join(errs...)
}

func leftovers(dir string) []string {
	all, _ := filepath.Glob(filepath.Join(dir, namePrefix+"*")) // the pattern is sound
	var dead []string
	for _, path := range all {
		if !ownerLives(filepath.Base(path)) {
			dead = append(dead, path)
		}
	}
	return dead
}

// isOurs tells our folder from one that somebody else has put into the
// temporary folder, which is open to all.
func isOurs(path string) bool {
	st, err := os.Lstat(path)
	if err != nil || !st.IsDir() {
		return false
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(sys.Uid) == os.Geteuid()
}

// ownerLives reads ipxelab-<pid>-<start>-<n>…; a name of another make counts
// as somebody's.
func ownerLives(name string) bool {
	var pid int
	parts := strings.Split(strings.TrimPrefix(name, namePrefix), "-")
	if len(parts) < 3 {
		return true
	}
	if _, err := fmt.Sscan(parts[0], &pid); err != nil {
		return true
	}
	start, err := StartTime(pid)
	return err == nil && start == parts[1]
}
