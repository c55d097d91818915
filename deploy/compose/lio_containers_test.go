//go:build containers

package compose

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/liovm"
)

// No Docker runs in the machine that has LIO. What it would do there is done
// without it: the image's files as a root that cannot be written, configfs, the
// capabilities that storage.lio.yml names and no other, no new privileges.
func TestTheAgentsImageDrivesTheKernelsTargetWithTheCapabilitiesOfItsFile(t *testing.T) {
	l, err := lab.New()
	must(t, err)
	t.Cleanup(func() { must(t, l.Close()) })
	build(t, l)
	host, err := l.AddHost("lio", netip.MustParseAddr("192.168.80.1"))
	must(t, err)
	pc, err := l.AddHost("pc", netip.MustParseAddr("192.168.80.49"))
	must(t, err)

	agent := services(t, "storage.lio.yml")["ipxe-agent"]
	program := l.Path("guest.test")
	must(t, liovm.BuildTest(t.Context(), "./deploy/compose", "liovm_guest", program))
	vm, err := liovm.Start(t.Context(), l, host, liovm.Options{
		Name: "node", Network: true, Program: program, Args: []string{"-test.run=^TestTheAgentRuns$", "-test.timeout=0"},
		Env: []string{
			"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "IPXE_AGENT_TOKEN=0123456789abcdef", "IPXE_IQN_BASE=iqn.2026-07.com.example.site", "IPXE_ACL=initiator",
			"CAPABILITIES=" + strings.Join(agent.CapAdd, " "),
			"IPXE_BACKEND=" + agent.Environment["IPXE_BACKEND"], "IPXE_LIO_ROOT=" + agent.Environment["IPXE_LIO_ROOT"],
			"IPXE_LOG_FILE=" + agent.Environment["IPXE_LOG_FILE"], "IPXE_DISK_DIR=/srv/images",
		},
		Disks: []liovm.Disk{{File: rootDisk(t, l), Mount: "/mnt/root"}, {File: imageDisk(t, l), Mount: "/srv/images"}},
	})
	must(t, err)
	ask := func(method, path string, body any) string {
		b, err := json.Marshal(body)
		must(t, err)
		var text []byte
		err = lab.Poll(time.Minute, func() error {
			req, err := http.NewRequest(method, "http://192.168.80.1:4840"+path, bytes.NewReader(b))
			if err != nil {
				return err
			}
			req.Header.Set("Authorization", "Bearer 0123456789abcdef")
			resp, err := pc.HTTPClient(20 * time.Second).Do(req)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if text, err = io.ReadAll(resp.Body); err == nil && resp.StatusCode/100 != 2 {
				err = fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, text)
			}
			return err
		})
		if err != nil {
			t.Fatalf("%v; it said:\n%s\n%s", err, vm.Output.Tail(20), vm.Console.Tail(10))
		}
		return string(text)
	}
	ask("GET", "/readyz", nil)
	disk := api.CreateLUN{IQN: "iqn.2026-07.com.example.site:w1.debian", Master: "gold_tpl_1.img"}
	ask("POST", "/lun/disk", disk)
	read := func(initiator string) (out []byte, err error) {
		err = pc.Do(func() (err error) {
			out, err = exec.CommandContext(t.Context(), "qemu-io", "-r", "-c", "read -P 0x22 0 1M", "--image-opts",
				"driver=iscsi,transport=tcp,portal=192.168.80.1:3260,target="+disk.IQN+",lun=0,initiator-name="+initiator).CombinedOutput()
			return err
		})
		return out, err
	}
	if out, err := read("iqn.2026-07.com.example.site:w1"); err != nil || bytes.Contains(out, []byte("failed")) {
		t.Errorf("its own machine reads: %v: %s", err, out)
	}
	if out, err := read("iqn.2026-07.com.example.site:w2"); err == nil {
		t.Errorf("another machine reads: %s", out)
	}
	// Seen by a raw socket: NET_RAW is there.
	if said := ask("GET", "/fencing", nil); strings.Contains(said, "blind") {
		t.Errorf("refused logins are not seen: %s", said)
	}
	ask("DELETE", "/lun?delete_file=true&iqn="+disk.IQN, nil)
	if said := ask("GET", "/lun", nil); strings.Contains(said, disk.IQN) {
		t.Errorf("the disk is still there: %s", said)
	}
}

// rootDisk holds the files of the agent's image.
func rootDisk(t *testing.T, l *lab.Lab) string {
	t.Helper()
	e := start(t, l, "exporter", nil)
	defer e.stop()
	dir := l.Path("root")
	e.run("mkdir " + dir + " && docker export $(docker create ipxe-agent:dev) | tar -x -C " + dir)
	for _, name := range []string{"srv/images", "var/lib/ipxe-agent"} {
		must(t, os.MkdirAll(dir+"/"+name, 0o755)) // as Docker makes where something is mounted
	}
	return ext4(t, l, dir, 1<<30)
}

// imageDisk holds a node's folder with one master.
func imageDisk(t *testing.T, l *lab.Lab) string {
	t.Helper()
	dir := l.Path("images")
	must(t, os.Mkdir(dir, 0o755))
	must(t, os.WriteFile(dir+"/gold_tpl_1.img", bytes.Repeat([]byte{0x22}, 2<<20), 0o644))
	return ext4(t, l, dir, 128<<20)
}

func ext4(t *testing.T, l *lab.Lab, dir string, size int64) string {
	t.Helper()
	file := dir + ".raw"
	must(t, os.WriteFile(file, nil, 0o644))
	must(t, os.Truncate(file, size))
	if out, err := exec.Command("mkfs.ext4", "-q", "-d", dir, file).CombinedOutput(); err != nil {
		t.Fatalf("mkfs.ext4: %v: %s", err, out)
	}
	return file
}
