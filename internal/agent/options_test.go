package agent

import (
	"strings"
	"testing"

	"ipxe-all-ready/internal/agent/store"
)

func env(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, p := range pairs {
			if v, ok := strings.CutPrefix(p, name+"="); ok {
				return v, true
			}
		}
		return "", false
	}
}

var good = []string{"IPXE_AGENT_TOKEN=t", "IPXE_DISK_DIR=/srv/images/", "IPXE_IQN_BASE=iqn.2026-07.com.Controller", "IPXE_BACKEND=stgt"}

func TestDefaultsAreTheContracts(t *testing.T) {
	o, err := FromEnv(env(good...))
	if err != nil {
		t.Fatal(err)
	}
	if o.Listen != ":4840" || o.DiskDir != "/srv/images" || o.Base.String() != "iqn.2026-07.com.controller" ||
		o.Backend != "stgt" || o.LIORoot != "/sys/kernel/config/target" || o.LIOSync || o.LogFile != "/srv/ipxe-agent.jsonl" || o.Folders != "/srv/ipxe-agent.folders.json" || o.Served != "/srv/ipxe-agent.targets.json" || o.Tgtadm != "tgtadm" || o.ControlPort != 0 || o.Managed || o.Portal != "" ||
		o.MinFree != (store.Reserve{Share: 0.05}) || o.Overcommit != 0 || o.OwnInitiator || o.CloneWorkers != 2 {
		t.Errorf("options %+v", o)
	}
}

func TestEverySettingIsRead(t *testing.T) {
	o, err := FromEnv(env(append([]string{
		"IPXE_AGENT_LISTEN=127.0.0.1:0", "IPXE_LOG_FILE=/var/log/x.jsonl", "IPXE_TGTADM=/opt/tgtadm", "IPXE_TGT_CONTROL_PORT=7", "IPXE_TGTD=managed",
		"IPXE_TGT_PORTAL=[fd77::3]:3260", "IPXE_OVERCOMMIT=2.5", "IPXE_MIN_FREE=20G", "IPXE_ACL=initiator", "IPXE_CLONE_WORKERS=4",
	}, good...)...))
	if err != nil {
		t.Fatal(err)
	}
	if o.Listen != "127.0.0.1:0" || o.LogFile != "/var/log/x.jsonl" || o.TgtdOutput != "/var/log/tgtd.log" || o.Tgtadm != "/opt/tgtadm" ||
		o.ControlPort != 7 || !o.Managed || o.Portal != "[fd77::3]:3260" || o.Overcommit != 2.5 ||
		o.MinFree != (store.Reserve{Bytes: 20 << 30}) || !o.OwnInitiator || o.CloneWorkers != 4 {
		t.Errorf("options %+v", o)
	}
}

func TestAllThatIsMissingIsToldAtOnce(t *testing.T) {
	_, err := FromEnv(env())
	want := `IPXE_AGENT_TOKEN is required and not set, nor is IPXE_AGENT_TOKEN_FILE
IPXE_DISK_DIR is required and not set
IPXE_IQN_BASE is required and not set
IPXE_BACKEND is required and not set; it is one of stgt, lio`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestEveryBadSettingIsNamed(t *testing.T) {
	for _, c := range [][2]string{
		{"IPXE_AGENT_LISTEN=4840", `IPXE_AGENT_LISTEN "4840" is wrong: not host:port, such as :4839 or 127.0.0.1:4839`},
		{"IPXE_AGENT_TOKEN=a b", "IPXE_AGENT_TOKEN holds white space or another character that an HTTP header cannot carry"},
		{"IPXE_DISK_DIR=/srv/a,b", `IPXE_DISK_DIR is wrong: the iSCSI server can use no path such as "/srv/a,b", with a comma, a line break or blanks around it`},
		{"IPXE_IQN_BASE=controller", `IPXE_IQN_BASE is wrong: iqn base "controller" does not start with iqn.YYYY-MM.<reversed domain>`},
		{"IPXE_BACKEND=scst", `IPXE_BACKEND "scst" is not one of stgt, lio`},
		{"IPXE_TGT_CONTROL_PORT=32768", `IPXE_TGT_CONTROL_PORT "32768" is not a whole number from 0 to 32767`},
		{"IPXE_TGTD=yes", `IPXE_TGTD "yes" is not one of external, managed`},
		{"IPXE_TGT_PORTAL=localhost:3260", `IPXE_TGT_PORTAL "localhost:3260" is wrong: not address:port, such as 192.168.80.3:3260 or [fd77::3]:3260`},
		{"IPXE_OVERCOMMIT=0", `IPXE_OVERCOMMIT is wrong: "0" is neither none nor a ratio above 0 such as 1.5`},
		{"IPXE_MIN_FREE=100%", `IPXE_MIN_FREE is wrong: "100%" is not a share from 0% to less than 100%`},
		{"IPXE_MIN_FREE=some", `IPXE_MIN_FREE is wrong: "some" is neither a share such as 5% nor a size such as 20G`},
		{"IPXE_ACL=some", `IPXE_ACL "some" is not one of all, initiator`},
		{"IPXE_CLONE_WORKERS=0", `IPXE_CLONE_WORKERS "0" is not a whole number from 1 to 64`},
	} {
		_, err := FromEnv(env(append([]string{c[0]}, good...)...))
		if err == nil || err.Error() != c[1] {
			t.Errorf("%s\n got %v\nwant %s", c[0], err, c[1])
		}
	}
}

func TestLIOIsChosenWithItsTree(t *testing.T) {
	lio := append([]string{"IPXE_BACKEND=LIO", "IPXE_LIO_ROOT=/lio/", "IPXE_LIO_SYNC=true", "IPXE_TGT_PORTAL=192.168.80.3:3260"}, good...)
	o, err := FromEnv(env(lio...))
	if err != nil || o.Backend != "lio" || o.LIORoot != "/lio" || !o.LIOSync || o.Portal != "192.168.80.3:3260" {
		t.Errorf("options %+v, %v", o, err)
	}
	_, err = FromEnv(env(append([]string{"IPXE_TGTD=managed"}, lio...)...))
	if want := `IPXE_TGTD "managed" is for IPXE_BACKEND=stgt: the kernel serves lio's targets`; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
