//go:build liovm_guest

package lio

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ipxe-all-ready/internal/agent/target"
)

// TestBesideTargetcli makes a target by this driver and the same one by targetcli,
// in turns, and tells how long each took. Only the benchmark runs it, with a
// Debian that has targetcli mounted at TARGETCLI_ROOT.
//
// The image files are there before, and another target stands all the time, so
// that nobody has to open the port. What targetcli made is looked at as if it
// were ours: name, file, cache, serial and attributes are those that we give.
// targetcli is spared what is not needed for that: saving its configuration when
// it ends, and an attribute that we leave alone. The first two sessions, which
// read Python from the disk, do not count.
func TestBesideTargetcli(t *testing.T) {
	b, cli := theKernel.backend(), inRoot(t, os.Getenv("TARGETCLI_ROOT"))
	cli.session("set global auto_save_on_exit=false", "set global export_backstore_name_as_model=false")
	standing := export(t, "standing.debian")
	cli.session(steps(standing)...)
	cli.must(b.verify(standing))

	var own, session, empty, calls []time.Duration
	for i := range 5 {
		e := export(t, fmt.Sprintf("w%d.debian", i))
		create := func(how func()) time.Duration {
			begun := time.Now()
			how()
			took := time.Since(begun)
			cli.must(b.verify(e))
			must(t, b.Remove(t.Context(), e.IQN, false))
			return took
		}
		for range 3 { // one alone is so short that a pause of the host's doubles it
			own = append(own, create(func() { mustEnsure(t, b, e, true) }))
		}
		session = append(session, create(func() { cli.session(steps(e)...) }))
		begun := time.Now()
		cli.session()
		empty = append(empty, time.Since(begun))
		calls = append(calls, create(func() { cli.calls(steps(e)...) }))
	}
	t.Logf("own %v, sessions %v, empty ones %v, calls %v", own, session, empty, calls)
	t.Logf("a create: %v; one session of targetcli %v, an empty one %v; a call for each of its commands %v",
		median(own), median(session), median(empty), median(calls))
}

// steps are the commands that make e as build does. What targetcli or the kernel
// sets so without being asked is left out.
func steps(e target.Export) []string {
	store, group := "/backstores/fileio/"+storeName(e.IQN), "/iscsi/"+e.IQN.String()+"/tpg1"
	return []string{
		"/backstores/fileio create name=" + storeName(e.IQN) + " file_or_dev=" + e.Backing + " write_back=true wwn=" + e.Serial(),
		store + " set attribute emulate_tpu=1",
		"/iscsi create " + e.IQN.String(), // with the portal, and enabled
		group + "/luns create " + store + " lun=0",
		group + " set attribute generate_node_acls=1 cache_dynamic_acls=1 demo_mode_write_protect=0",
	}
}

func median(times []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(times))[len(times)/2]
}

// targetcli is one in a root of its own.
type targetcli struct {
	t    *testing.T
	root string
	said *os.File // all that its programs said
}

// inRoot shows the root this guest's kernel, /tmp with the image files, and a
// D-Bus, where targetcli looks for backstores of other kinds.
func inRoot(t *testing.T, root string) *targetcli {
	t.Helper()
	for _, m := range []struct {
		source, target, kind string
		flags                uintptr
	}{
		{"proc", "/proc", "proc", 0},
		{"/sys", "/sys", "", unix.MS_BIND | unix.MS_REC},
		{"/dev", "/dev", "", unix.MS_BIND},
		{"/tmp", "/tmp", "", unix.MS_BIND},
		{"tmpfs", "/run", "tmpfs", 0},
	} {
		if err := unix.Mount(m.source, root+m.target, m.kind, m.flags, ""); err != nil {
			t.Fatalf("mount %s: %v", m.target, err)
		}
	}
	must(t, os.Mkdir(root+"/run/dbus", 0o755))
	said, err := os.Create(t.TempDir() + "/said") // no pipe: the daemon would hold it open
	must(t, err)
	t.Cleanup(func() { _ = said.Close() })
	c := &targetcli{t, root, said}
	c.run("", "/usr/bin/dbus-daemon", "--system", "--fork", "--nopidfile")
	return c
}

// session is one process for all commands.
func (c *targetcli) session(commands ...string) {
	c.t.Helper()
	c.run(strings.Join(commands, "\n")+"\nexit\n", "/usr/bin/targetcli")
}

// calls are a process for each command.
func (c *targetcli) calls(commands ...string) {
	c.t.Helper()
	for _, command := range commands {
		c.run("", "/usr/bin/targetcli", strings.Fields(command)...)
	}
}

func (c *targetcli) run(stdin, program string, args ...string) {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), program, args...)
	cmd.Dir, cmd.Env = "/", []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8"}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), c.said, c.said
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: c.root}
	c.must(cmd.Run())
}

// must ends the test with what targetcli said: a session goes on after an error,
// and ends well.
func (c *targetcli) must(err error) {
	c.t.Helper()
	if err != nil {
		said, _ := os.ReadFile(c.said.Name())
		c.t.Fatalf("the programs said:\n%s\n%v", said, err) // who reads a tail sees the error
	}
}
