package lab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
// start. With its number it names a process for good.
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
	return fields[19], nil
}

// Sweep removes what labs left behind whose process is gone.
func Sweep() error {
	var errs []error
	for _, path := range leftovers(netnsDir) {
		errs = append(errs, removeNamespace(filepath.Base(path)))
	}
	for _, path := range leftovers(os.TempDir()) {
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
