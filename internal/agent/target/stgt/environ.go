package stgt

import (
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Environ is what the programs of tgt get of our environment: not our settings,
// a token among them, nor the socket by which systemd hears of us alone. tgtd
// lives longer than we do.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "IPXE_") || strings.HasPrefix(v, "NOTIFY_SOCKET=") || strings.HasPrefix(v, "WATCHDOG_")
	})
}

// Installed reports why a program of tgt, a name or a path, cannot be started.
func Installed(program string) error {
	_, err := exec.LookPath(program)
	return err
}
