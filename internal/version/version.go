// Package version says which build this is.
package version

import "runtime/debug"

// release is set by the linker: -X ipxe-all-ready/internal/version.release=v1.2.3
var release = "dev"

// String is the release and, where the toolchain recorded it, the commit.
func String() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return release + "+" + s.Value[:12]
		}
	}
	return release
}
