//go:build integration

package torture

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// confineEnv makes this test binary put itself under the filter and then become
// the program that its arguments name.
const confineEnv = "IPXE_TORTURE_CONFINE"

func TestMain(m *testing.M) {
	if os.Getenv(confineEnv) != "" {
		fmt.Fprintln(os.Stderr, confine(os.Args[1:]))
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(built)
	printReport()
	os.Exit(code)
}

// watched are the system calls that change a file. openat is watched where it
// may create or cut a file.
var watched = []uint32{
	unix.SYS_WRITE, unix.SYS_PWRITE64, unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE, unix.SYS_FCHMOD, unix.SYS_FSYNC, unix.SYS_FDATASYNC,
	unix.SYS_MKDIRAT, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_LINKAT, unix.SYS_COPY_FILE_RANGE, unix.SYS_IOCTL,
}

// ficloneRange is the one ioctl that is watched.
const ficloneRange = 0x4020940d

// confine never returns without an error.
func confine(args []string) error {
	runtime.LockOSThread() // the filter is this thread's, and goes with it through exec
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	program := filter()
	fprog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	flags := uintptr(unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | seccompWaitKillable)
	fd, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&fprog)))
	if errno != 0 {
		return fmt.Errorf("install the filter: %w", errno)
	}
	// Not write: that one waits for the warden, who has no listener yet.
	if err := unix.Sendmsg(3, []byte{0}, unix.UnixRights(int(fd)), nil, 0); err != nil {
		return fmt.Errorf("hand the listener over: %w", err)
	}
	unix.CloseOnExec(3)
	unix.CloseOnExec(int(fd))
	env := []string{}
	for _, v := range os.Environ() {
		if len(v) < len(confineEnv) || v[:len(confineEnv)] != confineEnv {
			env = append(env, v)
		}
	}
	return syscall.Exec(args[0], args, env)
}

// seccompWaitKillable lets no signal but a deadly one break a call off that the
// warden looks at: Go's runtime sends many.
const seccompWaitKillable = 1 << 5

func filter() []unix.SockFilter {
	const nr, arg1, arg2 = 0, 16 + 8, 16 + 16 // in struct seccomp_data, little endian
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	ret := func(what uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: what} }
	is := func(k uint32, jt, jf uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jt: jt, Jf: jf}
	}
	const notify, allow = unix.SECCOMP_RET_USER_NOTIF, unix.SECCOMP_RET_ALLOW
	p := []unix.SockFilter{
		load(nr),
		is(unix.SYS_OPENAT, 0, 4),
		load(arg2),
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.O_CREAT | unix.O_TRUNC, Jt: 0, Jf: 1},
		ret(notify),
		ret(allow),
		is(unix.SYS_IOCTL, 0, 4),
		load(arg1),
		is(ficloneRange, 0, 1),
		ret(notify),
		ret(allow),
	}
	for _, call := range watched {
		if call != unix.SYS_IOCTL {
			p = append(p, is(call, 0, 1), ret(notify))
		}
	}
	return append(p, ret(allow))
}

// prisoner is a program under a warden.
type prisoner struct {
	cmd *exec.Cmd
	*warden
}

// imprison starts a program whose every change of a file below root is judged,
// and kept if asked.
func imprison(t testing.TB, root string, judge judge, keep bool, cmd *exec.Cmd) *prisoner {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "listener")
	cmd.Args = append([]string{self, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = self
	cmd.Env = append(cmd.Env, confineEnv+"=1", "GODEBUG=asyncpreemptoff=1")
	cmd.ExtraFiles = []*os.File{theirs}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	listener, err := receive(pair[0])
	unix.Close(pair[0])
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		t.Fatalf("the program was not confined: %v", err)
	}
	w := &warden{root: root, pid: cmd.Process.Pid, judge: judge, keep: keep, done: make(chan struct{})}
	go w.watch(listener)
	return &prisoner{cmd, w}
}

func receive(socket int) (int, error) {
	oob := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(socket, make([]byte, 1), oob, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return 0, err
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil || len(messages) != 1 {
		return 0, errors.Join(err, errors.New("no listener came"))
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return 0, errors.Join(err, errors.New("no listener came"))
	}
	return fds[0], nil
}
