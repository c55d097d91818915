//go:build integration

package agent

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/agent/target/targettest"
)

// fill writes until nothing is left.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

func TestAnAgentThatStartsOnAFullDiskServesWhatIsThere(t *testing.T) {
	o := managed(t)
	root := filepath.Dir(o.DiskDir)
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=4M,nr_inodes=6", "tmpfs", root).CombinedOutput(); err != nil {
		t.Fatalf("mount: %v\n%s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", root).CombinedOutput(); err != nil {
			t.Errorf("umount: %v\n%s", err, out)
		}
	})
	must(t, os.Mkdir(o.DiskDir, 0o700))
	n := &node{dir: o.DiskDir}
	n.put(t, "pc.debian.img")
	must(t, os.WriteFile(filepath.Join(o.DiskDir, ".ipxe-agent.id"), []byte("MARK\n"), 0o600))
	must(t, os.WriteFile(o.Folders, []byte(`{"schema":1,"folders":{"`+o.DiskDir+`":"MARK"}}`), 0o600))
	fill(t, filepath.Join(root, "ballast")) // the last of six inodes, and the last byte

	n, _ = begin(t, o)
	session, err := targettest.Login(o.Portal, base+":pc.debian", base+":pc")
	must(t, err)
	defer session.Close()
	if got := capacity(t, o, "pc.debian"); got != "1048576" {
		t.Errorf("capacity %q", got)
	}
	n.wantNotes(t, `write to image folder `+o.DiskDir+`: no space left on device`,
		`0 bytes are free and 0 are kept in reserve \(IPXE_MIN_FREE\): no new disk is made`,
		`no other agent is kept off image folder `+o.DiskDir+`: \.ipxe-agent\.lock: no space left on device`,
		`log `+o.LogFile+` cannot be opened`,
		o.Served+` cannot be written: .*`)
	n.wantDetail(t, "POST", "/lun/disk", `{"iqn":"`+base+`:x","size":"1M"}`, 507, "no_space", "create x.img: no space left on device")
}
