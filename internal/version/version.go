// Package version says which build this is.
package version

import (
	"runtime"
	"runtime/debug"
)

// release is set by the linker: -X ipxe-all-ready/internal/version.release=v1.2.3
var release = "dev"

// Build is what is known of this build.
type Build struct {
	Version string // the release
	Commit  string // the whole hash; "" where the toolchain recorded none
	Go      string // the toolchain
}

// Info is this build.
func Info() Build {
	b := Build{Version: release, Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			b.Commit = s.Value
		}
	}
	return b
}

// String is the release and, where it is known, the beginning of the commit.
func String() string {
	b := Info()
	if len(b.Commit) < 12 {
		return b.Version
	}
	return b.Version + "+" + b.Commit[:12]
}
