package selfcheck

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"ipxe-all-ready/internal/atomicfile"
)

// Port reports why an address cannot be listened on; nil: it can. It is bound
// for an instant and never listened on, which keeps nobody from it.
func Port(addr string) error {
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return err
	}
	family, at := sockaddr(tcp)
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if errors.Is(err, unix.EAFNOSUPPORT) && tcp.IP == nil {
		return Port(net.JoinHostPort("0.0.0.0", portOf(tcp)))
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	// As Go's own listeners have it: only one that listens is in the way.
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return err
	}
	if family == unix.AF_INET6 && tcp.IP == nil {
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 0); err != nil {
			return err
		}
	}
	return unix.Bind(fd, at)
}

func portOf(a *net.TCPAddr) string {
	_, port, _ := net.SplitHostPort(a.String())
	return port
}

func sockaddr(a *net.TCPAddr) (family int, at unix.Sockaddr) {
	if four := a.IP.To4(); four != nil {
		return unix.AF_INET, &unix.SockaddrInet4{Port: a.Port, Addr: [4]byte(four)}
	}
	six := &unix.SockaddrInet6{Port: a.Port}
	copy(six.Addr[:], a.IP)
	if i, err := net.InterfaceByName(a.Zone); err == nil {
		six.ZoneId = uint32(i.Index)
	}
	return unix.AF_INET6, six
}

// Folder looks at the folder of a file that a daemon writes: one that is not
// there is made by it, if the nearest that is lets it.
func (l *List) Folder(file string) {
	dir := filepath.Dir(file)
	for {
		info, err := os.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir):
			dir = filepath.Dir(dir)
			continue
		case err != nil:
			l.Add(Fault, dir, "", "the folder cannot be looked at: %v", errors.Unwrap(err))
		case !info.IsDir():
			l.Add(Fault, dir, "move it away", "this is a file, and the folder of %s is wanted here", filepath.Base(file))
		case unix.Access(dir, unix.W_OK|unix.X_OK) != nil:
			l.Add(Fault, dir, "give it to the user that the daemon runs as, and run the check as that user", "the folder cannot be written by user %d", os.Geteuid())
		}
		return
	}
}

// Regular looks whether a file stands where one is wanted, or nothing yet; cost
// is what it costs that something else does.
func (l *List) Regular(level Level, file, cost string) {
	info, err := os.Stat(file)
	if err == nil && !info.Mode().IsRegular() {
		l.Add(level, file, "move it away, or put the file back", "this is %s and no file: %s", atomicfile.Kind(info.Mode()), cost)
	}
}

// Writable looks at a file that a daemon changes in place or appends to.
func (l *List) Writable(file string) {
	if err := unix.Access(file, unix.R_OK|unix.W_OK); err != nil && !errors.Is(err, unix.ENOENT) {
		l.Add(Fault, file, "give it to the user that the daemon runs as, and run the check as that user", "the file cannot be read and written by user %d: %v", os.Geteuid(), err)
	}
}
