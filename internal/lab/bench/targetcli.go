package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"ipxe-all-ready/internal/lab/debroot"
	"ipxe-all-ready/internal/lab/liovm"
)

// a create: 24.15ms; one session of targetcli 2.3s, an empty one 1.65s; a call for each of its commands 8.44s
var beside = regexp.MustCompile(`a create: (\S+); one session of targetcli (\S+), an empty one (\S+); a call for each of its commands (\S+)`)

// rootMount is where the guest has the Debian with targetcli.
const rootMount = "/mnt/root"

// besideTargetcli has one and the same target made by the driver and by Debian's
// targetcli, in one guest. It comes with Python and all else in a root of Debian's
// packages, which is made once and kept: only the first run needs a network. The
// guest gets a copy of it as a disk, because Python reads hundreds of files at its
// start and a folder of the host would make it slow.
func besideTargetcli(b *bench) result {
	r := result{work: "LIO: a create against the same by `targetcli`", unit: "×", bound: 20, atLeast: true}
	root, err := debroot.Base(filepath.Join(b.root, ".cache", "roots"), "bookworm", "targetcli-fb")
	if err != nil {
		r.missing = "no root with targetcli: " + lastLine(err)
		return r
	}
	disk := filepath.Join(b.dir, "targetcli.raw")
	defer os.Remove(disk)
	if r.failed = diskOf(b, root, disk); r.failed != nil {
		return r
	}
	t, err := inKernel(b, "TestBesideTargetcli$", beside, liovm.Options{
		Env: []string{"TARGETCLI_ROOT=" + rootMount}, Disks: []liovm.Disk{{File: disk, Mount: rootMount}},
	})
	if r.failed = err; err == nil {
		r.value, r.detail = againstTargetcli(t[0], t[1], t[2], t[3])
	}
	return r
}

// againstTargetcli compares times in seconds. The ratio is that of the whole
// session, as a script would run it; what its work alone takes, Python being
// there, is told beside it.
func againstTargetcli(own, session, empty, calls float64) (times float64, detail string) {
	return session / own, fmt.Sprintf(
		"%s against %s, all of one session; its start and end take %s of that, without them it is %s times; "+
			"a call for each of its five commands %s, %s times; in an emulated guest, one other target standing",
		seconds(own), seconds(session), seconds(empty), number((session-empty)/own), seconds(calls), number(calls/own))
}

// diskOf is a disk with the files of root on it.
func diskOf(b *bench, root, disk string) error {
	if err := os.WriteFile(disk, nil, 0o644); err != nil {
		return err
	}
	if err := os.Truncate(disk, 1<<30); err != nil {
		return err
	}
	out, err := exec.CommandContext(b.ctx, "mkfs.ext4", "-q", "-d", root, disk).CombinedOutput()
	if err != nil {
		return fmt.Errorf("mkfs.ext4: %w: %s", err, out)
	}
	return nil
}

// lastLine of what debootstrap said is its reason.
func lastLine(err error) string {
	said := strings.TrimRight(err.Error(), ": \n")
	return said[strings.LastIndex(said, "\n")+1:]
}
