//go:build integration

package torture

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// step is one change of a file that is about to be made.
type step struct {
	kind string // create write truncate chmod reserve fsync mkdir unlink rename link
	path string // below the root
	to   string // of a rename or link
	at   int64  // where a write begins; -1: at the end
	size int64  // of a truncation
	data []byte // of a write
	cut  bool   // a create that empties what stands
}

func (s step) String() string {
	switch s.kind {
	case "rename", "link":
		return s.kind + " " + s.path + " → " + s.to
	case "write":
		return fmt.Sprintf("write %d bytes to %s", len(s.data), s.path)
	}
	return s.kind + " " + s.path
}

// verdict is what becomes of a step: the zero value lets it pass.
type verdict struct {
	errno syscall.Errno
	half  bool // the first half of a write is made all the same
	kill  bool // the program dies in place of the step, or in its middle
}

type judge func(s step) verdict

// warden sees each step before it is made, one after the other.
type warden struct {
	root  string
	pid   int
	judge judge
	done  chan struct{} // closed when nobody is left to watch

	mu    sync.Mutex
	steps []step // that passed
	keep  bool   // them
}

// notification and response are the kernel's struct seccomp_notif and _resp.
type notification struct {
	id    uint64
	pid   uint32
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

type response struct {
	id    uint64
	val   int64
	errno int32
	flags uint32
}

const (
	notifReceive = 0xc0502100
	notifSend    = 0xc0182101
	notifGoOn    = 1
)

func (w *warden) watch(listener int) {
	defer close(w.done)
	defer unix.Close(listener)
	for {
		fds := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); err == unix.EINTR {
			continue
		}
		if fds[0].Revents&unix.POLLIN == 0 {
			return // all that were under the filter have ended
		}
		var n notification
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), notifReceive, uintptr(unsafe.Pointer(&n))); errno != 0 {
			continue // its caller was killed
		}
		r := response{id: n.id, flags: notifGoOn}
		if n.nr == unix.SYS_IOCTL || n.nr == unix.SYS_COPY_FILE_RANGE {
			r = response{id: n.id, errno: -int32(unix.EOPNOTSUPP)} // so that every byte passes by here
		} else if s, ok := w.read(n); ok {
			r = w.decide(n, s)
		}
		_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(listener), notifSend, uintptr(unsafe.Pointer(&r)))
	}
}

func (w *warden) decide(n notification, s step) response {
	v := verdict{}
	if w.judge != nil {
		v = w.judge(s)
	}
	if v.half && s.kind == "write" && len(s.data) > 1 {
		s.data = s.data[:len(s.data)/2]
		if makeHalf(n, s) == nil {
			w.note(s)
		}
	}
	switch {
	case v.kill:
		_ = unix.Kill(w.pid, unix.SIGKILL)
		return response{id: n.id, errno: -int32(unix.EIO)}
	case v.errno != 0:
		return response{id: n.id, errno: -int32(v.errno)}
	}
	w.note(s)
	return response{id: n.id, flags: notifGoOn}
}

func (w *warden) note(s step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.keep {
		w.steps = append(w.steps, s)
	}
}

// position is how many steps were noted so far.
func (w *warden) position() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.steps)
}

// makeHalf writes what the program's descriptor would have been written.
func makeHalf(n notification, s step) error {
	f, err := os.OpenFile(fdPath(n.pid, n.args[0]), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if s.at < 0 {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		s.at = info.Size()
	}
	_, err = f.WriteAt(s.data, s.at)
	return err
}

// read tells what a call would do; false when it concerns no file of ours.
func (w *warden) read(n notification) (s step, ours bool) {
	switch n.nr {
	case unix.SYS_OPENAT:
		s = step{kind: "create", path: w.named(n, n.args[0], n.args[1]), cut: n.args[2]&unix.O_TRUNC != 0}
		if _, err := os.Lstat(w.root + s.path); err == nil && !s.cut {
			return s, false // it stands, and is only opened
		}
	case unix.SYS_MKDIRAT:
		s = step{kind: "mkdir", path: w.named(n, n.args[0], n.args[1])}
	case unix.SYS_UNLINKAT:
		s = step{kind: "unlink", path: w.named(n, n.args[0], n.args[1])}
	case unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_LINKAT:
		s = step{kind: "rename", path: w.named(n, n.args[0], n.args[1]), to: w.named(n, n.args[2], n.args[3])}
		if n.nr == unix.SYS_LINKAT {
			s.kind = "link"
		}
	default:
		return w.readFD(n)
	}
	return s, s.path != ""
}

func (w *warden) readFD(n notification) (s step, ours bool) {
	target, err := os.Readlink(fdPath(n.pid, n.args[0]))
	path, below := strings.CutPrefix(target, w.root)
	if err != nil || !below || strings.HasSuffix(path, " (deleted)") {
		return s, false
	}
	s.path = path
	switch n.nr {
	case unix.SYS_WRITE:
		s.kind, s.data, s.at = "write", remote(n.pid, n.args[1], n.args[2]), place(n.pid, n.args[0])
	case unix.SYS_PWRITE64:
		s.kind, s.data, s.at = "write", remote(n.pid, n.args[1], n.args[2]), int64(n.args[3])
	case unix.SYS_FTRUNCATE:
		s.kind, s.size = "truncate", int64(n.args[1])
	case unix.SYS_FALLOCATE:
		s.kind = "reserve"
	case unix.SYS_FCHMOD:
		s.kind = "chmod"
	default:
		s.kind = "fsync"
	}
	return s, true
}

func fdPath(pid uint32, fd uint64) string {
	return "/proc/" + strconv.Itoa(int(pid)) + "/fd/" + strconv.Itoa(int(int32(fd)))
}

// place is where the next write of a descriptor goes; -1 is the end.
func place(pid uint32, fd uint64) int64 {
	text, _ := os.ReadFile(strings.Replace(fdPath(pid, fd), "/fd/", "/fdinfo/", 1))
	var pos, flags int64
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimSpace(value); name {
		case "pos":
			pos, _ = strconv.ParseInt(value, 10, 64)
		case "flags":
			flags, _ = strconv.ParseInt(value, 8, 64)
		}
	}
	if flags&unix.O_APPEND != 0 {
		return -1
	}
	return pos
}

// named is a path argument, below the root; "" when it lies elsewhere.
func (w *warden) named(n notification, dirfd, at uint64) string {
	text := remote(n.pid, at, unix.PathMax)
	name, _, _ := strings.Cut(string(text), "\x00")
	if !strings.HasPrefix(name, "/") {
		dir := "/proc/" + strconv.Itoa(int(n.pid)) + "/cwd"
		if int32(dirfd) != unix.AT_FDCWD {
			dir = fdPath(n.pid, dirfd)
		}
		base, err := os.Readlink(dir)
		if err != nil {
			return ""
		}
		name = base + "/" + name
	}
	path, below := strings.CutPrefix(name, w.root)
	if !below {
		return ""
	}
	return path
}

// remote reads the program's memory, as far as it reaches.
func remote(pid uint32, at, size uint64) []byte {
	out := make([]byte, 0, min(size, 64<<10))
	for uint64(len(out)) < size {
		from := at + uint64(len(out))
		n := min(size-uint64(len(out)), 4096-from%4096) // by page: a path may end before memory that is not mapped
		buf := make([]byte, n)
		local := []unix.Iovec{{Base: &buf[0], Len: n}}
		got, err := unix.ProcessVMReadv(int(pid), local, []unix.RemoteIovec{{Base: uintptr(from), Len: int(n)}}, 0)
		if err != nil || got <= 0 {
			break
		}
		out = append(out, buf[:got]...)
		if size == unix.PathMax && strings.IndexByte(string(buf[:got]), 0) >= 0 {
			break
		}
	}
	return out
}
