package stgt

import (
	"os"
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
