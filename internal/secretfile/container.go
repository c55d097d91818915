package secretfile

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// secretsFolder is where engines put secrets into a container.
const secretsFolder = "/run/secrets/"

// ofAContainer reports whether a file was put into a container by its engine, which
// makes it 0444 unless told otherwise: the host's other users do not see it.
//
//   - A swarm, and Kubernetes, mount a read-only tmpfs for it. On a host there is
//     none: /run, /tmp and /dev/shm are written.
//   - Compose writes a secret of a variable into the container's own layer. A host
//     has /run on a tmpfs, also where its root is an overlay.
//
// A secret that Compose takes from a file is that file, with the mode that it has on
// the host, and is none of these.
func ofAContainer(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	var fs unix.Statfs_t
	if unix.Statfs(real, &fs) != nil {
		return false
	}
	switch fs.Type {
	case unix.TMPFS_MAGIC, unix.RAMFS_MAGIC:
		return fs.Flags&unix.ST_RDONLY != 0
	case unix.OVERLAYFS_SUPER_MAGIC:
		return strings.HasPrefix(real, secretsFolder)
	}
	return false
}
