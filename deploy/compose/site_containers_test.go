//go:build containers

package compose

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/lab"
)

const (
	controller = "docker compose -p controller -f deploy/compose/controller.yml "
	storage    = "docker compose -p storage -f deploy/compose/storage.yml "
	machineMAC = "52:54:00:c0:47:01"
	diskURL    = "iscsi://192.168.80.1/iqn.2026-07.com.example.site:worker-01.debian/1"
)

// chapter is the guide's of containers: its commands, block by block.
func chapter(t *testing.T) (blocks []string) {
	t.Helper()
	_, text, _ := strings.Cut(read(t, "../../docs/guide.md"), "\n## Containers\n")
	text, _, _ = strings.Cut(text, "\n## ")
	for _, m := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, m[1])
	}
	if len(blocks) != 5 {
		t.Fatalf("the chapter has %d blocks of commands", len(blocks))
	}
	return blocks
}

// site is one host that runs both stacks, and a pc that uses them.
type site struct {
	*engine
	pc *lab.Host
}

func TestASiteInContainersAsTheGuideTellsIt(t *testing.T) {
	l, err := lab.New()
	must(t, err)
	t.Cleanup(func() { must(t, l.Close()) })
	build(t, l)
	host, err := l.AddHost("host", netip.MustParseAddr("192.168.80.1"), lab.RouterPrefix)
	must(t, err)
	pc, err := l.AddHost("pc", netip.MustParseAddr("192.168.80.49"))
	must(t, err)
	s := &site{start(t, l, "engine", host), pc}
	defer func() {
		if t.Failed() {
			t.Log(s.told())
		}
	}()

	guide := chapter(t)
	s.run("cd deploy/compose && cp .env.example .env && cp controller.env.example controller.env && cp storage.env.example storage.env")
	s.limited(t)
	s.run(guide[1])
	s.run(guide[2])
	s.run(guide[3])
	s.healthy()
	s.run(guide[4])
	s.until(`"health":"ok"`, s.api("/agents"))
	s.serves(t)

	machine, err := l.AddMachine("pc1", machineMAC, lab.BIOS)
	must(t, err)
	must(t, machine.PowerOn())
	s.until(machineMAC+",worker-01", "cat /srv/ipxe-all-ready/dnsmasq/dhcp-hosts.conf")
	s.until("read /srv/ipxe-all-ready/dnsmasq/dhcp-hosts.conf", "docker logs controller_dnsmasq_1 2>&1 | sed -n '/"+machineMAC+"/,$p' | grep ' read '")

	master := l.Path("master.img")
	must(t, lab.WriteGuestDisk(master, "booted through containers", lab.BIOS))
	s.run("cp " + master + " /srv/images/debian_tpl_12.img")
	s.run(s.api("/workers/worker-01/luns/disk", `{"os":"debian","type":"master","name":"debian_tpl_12.img"}`))
	s.run(s.api("/workers/worker-01/default-os", `{"os":"debian"}`, "-X", "PUT"))
	s.capacity("16777216")
	if _, err := machine.Guest.WaitFor("booted through containers", 3*time.Minute); err != nil {
		t.Fatalf("%v\n%s", err, machine.Screen.Tail(20))
	}
	must(t, machine.PowerOff())
	s.rights(t)
	s.survives(t)
}

// limited takes out of storage.yml what root of this machine may not give to
// anybody: some run without CAP_SYS_RESOURCE.
func (s *site) limited(t *testing.T) {
	const resource = 1 << 24
	var caps uint64
	_, err := fmt.Sscanf(s.run("grep CapBnd: /proc/self/status"), "CapBnd: %x", &caps)
	must(t, err)
	if caps&resource == 0 {
		t.Log("this machine raises no limits: storage.yml is run without its ulimits and oom_score_adj")
		s.run("sed -i '/^    ulimits:/,/^    oom_score_adj:/d' deploy/compose/storage.yml")
	}
}

// healthy waits until every container says that it is.
func (s *site) healthy() {
	s.t.Helper()
	s.until("4", "docker ps --filter health=healthy -q | wc -l")
}

// api is the command of one call of the control plane.
func (s *site) api(path string, body ...string) string {
	call := `curl -sS --fail-with-body -H "Authorization: Bearer $(cat /etc/ipxe-all-ready/cp.token)" http://192.168.80.1:4839` + path
	if len(body) > 0 {
		call += " -d '" + body[0] + "' " + strings.Join(body[1:], " ")
	}
	return call
}

func (s *site) get(path string) (int, string) {
	s.t.Helper()
	resp, err := s.pc.HTTPClient(20 * time.Second).Get("http://192.168.80.1" + path)
	must(s.t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	must(s.t, err)
	return resp.StatusCode, string(b)
}

// serves looks at what the console's port gives to the pc.
func (s *site) serves(t *testing.T) {
	for path, want := range map[string]string{
		":4838/": "<title>", ":4838/browse/": "<title>", ":4838/api/cp/healthz": `"ok"`, ":4838/api/browse/": `"README.txt"`,
		":4838/file/README.txt": "menu.ipxe", ":4838/tftp/boot.ipxe": "#!ipxe",
	} {
		if status, body := s.get(path); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d, without %q: %.300s", path, status, want, body)
		}
	}
	if status, _ := s.get(":4838/api/cp/workers"); status != http.StatusUnauthorized {
		t.Errorf("without the token the workers are %d", status)
	}
}

// capacity has an initiator that is not ours read the disk.
func (s *site) capacity(want string) {
	s.t.Helper()
	err := lab.Poll(time.Minute, func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		var out []byte
		err := s.pc.Do(func() (err error) {
			out, err = exec.CommandContext(ctx, "iscsi-readcapacity16", "-s", diskURL).CombinedOutput()
			return err
		})
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			return fmt.Errorf("the disk has %q bytes, want %s: %w", got, want, err)
		}
		return nil
	})
	if err != nil {
		s.t.Fatalf("%v\n%s", err, s.told())
	}
}

// rights are those that the processes have, as the kernel says.
func (s *site) rights(t *testing.T) {
	for container, want := range map[string]string{
		"controller_ipxe-cp_1": "10001 0000000000000000", "controller_dnsmasq_1": "10001 0000000000003400",
		"controller_console_1": "33 0000000000000000", "storage_ipxe-agent_1": "0 000000000000600b",
	} {
		got := s.run(`awk '/^Uid:/ {uid=$2} /^CapEff:/ {cap=$2} END {print uid, cap}' /proc/$(docker inspect -f '{{.State.Pid}}' ` + container + `)/status`)
		if got != want {
			t.Errorf("%s runs with user and capabilities %s, want %s", container, got, want)
		}
	}
}

// data is what may not be lost, without what changes by itself.
func (s *site) data() string {
	s.t.Helper()
	var rows []struct {
		ID    string `json:"worker_id"`
		MAC   string `json:"mac"`
		Disks json.RawMessage
	}
	must(s.t, json.Unmarshal([]byte(s.run(s.api("/workers"))), &rows))
	return fmt.Sprintf("%+v\n%s", rows, s.run("cat /srv/ipxe-all-ready/dnsmasq/dhcp-hosts.conf /srv/ipxe-all-ready/config/agents.yml; sha256sum /srv/images/*.img"))
}

// survives goes through what happens to containers.
func (s *site) survives(t *testing.T) {
	before, macs := s.data(), 0
	well := func(after string) {
		t.Helper()
		// What was killed may pass for healthy until it is looked at again.
		s.until(`"worker-01"`, s.api("/workers"))
		s.until(`"health":"ok"`, s.api("/agents"))
		s.until("<title>", "curl -sS http://192.168.80.1:4838/")
		s.healthy()
		s.capacity("16777216")
		if now := s.data(); now != before {
			t.Fatalf("after %s:\n%s\nbefore:\n%s", after, now, before)
		}
		macs++
		s.reloads(fmt.Sprintf("52:54:00:c0:48:%02x", macs))
		before = s.data()
		t.Logf("all is well after %s", after)
	}
	s.run(controller + "restart && " + storage + "restart")
	well("compose restart")
	for _, c := range []string{"controller_ipxe-cp_1", "controller_dnsmasq_1", "controller_console_1", "storage_ipxe-agent_1"} {
		s.run("kill -9 $(docker inspect -f '{{.State.Pid}}' " + c + ")")
		well("kill -9 of " + c)
	}
	s.run(controller + "stop ipxe-cp && " + controller + "start ipxe-cp")
	well("stop and start of the control plane")
	s.run(controller + "down && " + storage + "down && " + controller + "up -d && " + storage + "up -d")
	well("down and up")
}

// reloads has a machine register, and waits for dnsmasq to know it.
func (s *site) reloads(mac string) {
	s.t.Helper()
	since := s.run("date -u +%Y-%m-%dT%H:%M:%S.%NZ")
	if status, body := s.get(":4839/boot-vars?mac=" + mac + "&hostname="); status != http.StatusOK || !strings.Contains(body, "set hostname worker-") {
		s.t.Fatalf("boot-vars: %d %s", status, body)
	}
	s.until("read /srv/ipxe-all-ready/dnsmasq/dhcp-hosts.conf", "docker logs --since "+since+" controller_dnsmasq_1 2>&1")
}
