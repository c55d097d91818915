package certs

import (
	"os"
	"slices"
	"syscall"
)

// stampsOf looks at the files; one that cannot be looked at has a stamp too.
func stampsOf(paths []string) []stamp {
	out := make([]stamp, len(paths))
	for i, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		out[i] = stamp{size: info.Size(), mtime: info.ModTime()}
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			out[i].inode = st.Ino
		}
	}
	return out
}

func same(a, b []stamp) bool {
	return slices.EqualFunc(a, b, func(a, b stamp) bool {
		return a.size == b.size && a.inode == b.inode && a.mtime.Equal(b.mtime)
	})
}
