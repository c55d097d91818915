package controlplane

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/certs/certstest"
)

// checked is what a check of s says, with the site's home as HOME.
func (s *site) checked() (text string, good bool) {
	s.t.Helper()
	var out strings.Builder
	good = Check(s.t.Context(), environ(s.env)).Print(&out, "ipxe-cp")
	return strings.ReplaceAll(out.String(), s.home, "HOME"), good
}

func environ(env map[string]string) (list []string) {
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	return list
}

const (
	oneNode  = "agents:\n  st1: {base_url: \"http://192.168.80.3:4840\", token: secret, role: {disk: true}}\n"
	mend     = "         → mend it in an editor; until then the file is served as far as it can be read, and never changed\n"
	oneFault = "ipxe-cp: 1 fault, 0 warnings\n"
)

// sound is a site of which a check has nothing to say but that dnsmasq is not told.
func sound(t *testing.T) *site {
	s := newSite(t)
	s.file("config/agents.yml", oneNode)
	if err := os.Chmod(filepath.Join(s.home, "config/agents.yml"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.file("state/workers.yml", "workers:\n  pc-01: {hostname: pc-01, arch: x86_64, state: registered, disks: []}\n")
	s.file("dnsmasq/dhcp-hosts.conf", "52:54:00:00:00:01,pc-01\n")
	return s
}

const untold = `warning  IPXE_CP_DNSMASQ_RELOAD
         dnsmasq is not told of new bindings: they count from its next start
         → set IPXE_CP_DNSMASQ_PID_FILE
`

func TestACheckOfASoundSiteFindsNoFaultAndChangesNothing(t *testing.T) {
	s := sound(t)
	before := tree(t, s.home)
	text, good := s.checked()
	if want := untold + "ipxe-cp: 0 faults, 1 warning\n"; text != want || !good {
		t.Errorf("got %v\n%s\nwant\n%s", good, text, want)
	}
	if after := tree(t, s.home); after != before {
		t.Errorf("the files were\n%s\nand are\n%s", before, after)
	}
}

// tree lists every file with its size, mode and time.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			fmt.Fprintln(&b, path, info.Size(), info.Mode(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEachFaultOfASiteIsExplained(t *testing.T) {
	for name, c := range map[string]struct {
		file, content string // written over the sound site's
		env           []string
		want          string // without what every such site gets
	}{
		"a variable": {env: []string{"IPXE_CP_MAX_WORKERS", "many"}, want: `fault    IPXE_CP_MAX_WORKERS
         "many" is not a whole number from 0 to 10000000
         → docs/settings.md has every variable
`},
		"a variable that names a ledger": {env: []string{"IPXE_CP_SETTINGS_FILE", "config/agents.yml"}, want: `fault    IPXE_CP_SETTINGS_FILE
         names the same file as IPXE_CP_AGENTS_FILE, "HOME/config/agents.yml"
         → docs/settings.md has every variable
note     ledgers
         looked at once IPXE_CP_SETTINGS_FILE is right
note     dnsmasq
         looked at once IPXE_CP_SETTINGS_FILE is right
note     ports
         looked at once IPXE_CP_SETTINGS_FILE is right
note     variables that nothing reads
         looked at once IPXE_CP_SETTINGS_FILE is right
`},
		"two rows of workers.yml": {
			file: "state/workers.yml", content: "workers:\n  pc-01: {hostname: pc-01, state: registered, disks: []}\n  pc-02: {state: ready, disks: []}\n  pc-03: {hostname: 7, disks: []}\n",
			want: "fault    HOME/state/workers.yml:3\n         worker pc-02: hostname is missing\n" + mend +
				"fault    HOME/state/workers.yml:4\n         worker pc-03: hostname: hostname \"7\" would be read by dnsmasq as a lease time in seconds\n" + mend,
		},
		"YAML that is none": {
			file: "config/agents.yml", content: "agents:\n  st1: {base_url: \"http://a:1\"\n  st2: {}\n",
			want: "fault    HOME/config/agents.yml:2\n         not valid YAML: did not find expected ',' or '}'\n" + mend +
				"fault    HOME/config/agents.yml:3\n         agent st2: base_url is missing\n" + mend,
		},
		"settings": {
			file: "state/settings.json", content: "{\n  \"auto_register\": yes\n}\n",
			want: "fault    HOME/state/settings.json:2\n         not valid JSON: invalid character 'y' looking for beginning of value\n" + mend,
		},
		"a token that names nothing": {
			file: "config/agents.yml", content: strings.Replace(oneNode, "secret", "\"${ST1_TOKEN}\"", 1),
			want: "fault    HOME/config/agents.yml\n         the token of agent st1 names ${ST1_TOKEN}, which is not set: the node will refuse it\n         → set it in the environment of ipxe-cp\n",
		},
		"a disk on no node": {
			file: "state/workers.yml", content: "workers:\n  pc-01: {hostname: pc-01, state: ready, disks: [{agent: st9, iqn: \"iqn.2026-07.com.a:pc-01.debian\", os: debian, filename: pc-01.debian.img}]}\n",
			want: "fault    HOME/state/workers.yml\n         the debian disk of worker pc-01 is on agent st9, which is not in the inventory\n         → enter the node in agents.yml, or take the disk from the row\n",
		},
		"a trail that is a folder": {
			file: "state/operations.jsonl/x", content: "",
			want: "fault    HOME/state/operations.jsonl\n         this is a folder and no file: nothing can be changed without the trail\n         → move it away, or put the file back\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := sound(t)
			if c.file != "" {
				s.file(c.file, c.content)
				_ = os.Chmod(filepath.Join(s.home, "config/agents.yml"), 0o600)
			}
			for i := 0; i+1 < len(c.env); i += 2 {
				s.env[c.env[i]] = c.env[i+1]
			}
			text, good := s.checked()
			text = strings.ReplaceAll(text, untold, "")
			text = text[:strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n")+1]
			if text != c.want || good {
				t.Errorf("got %v\n%s\nwant\n%s", good, text, c.want)
			}
		})
	}
}

func TestALedgerThatIsMissingIsNamedBeforeAStartWouldMakeItAnew(t *testing.T) {
	s := sound(t).start()
	s.stop()
	if err := os.Remove(filepath.Join(s.home, "dnsmasq/dhcp-hosts.conf")); err != nil {
		t.Fatal(err)
	}
	text, good := s.checked()
	if !strings.Contains(text, "fault    HOME/dnsmasq/dhcp-hosts.conf\n         the file has vanished since ipxe-cp last ran") || good {
		t.Errorf("got %v\n%s", good, text)
	}
}

func TestAStalePIDFileIsAFault(t *testing.T) {
	s := sound(t)
	comm, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}
	s.file("dnsmasq.pid", fmt.Sprintln(os.Getpid()))
	s.env["IPXE_CP_DNSMASQ_PID_FILE"] = filepath.Join(s.home, "dnsmasq.pid")
	text, good := s.checked()
	want := fmt.Sprintf("fault    HOME/dnsmasq.pid\n         dnsmasq cannot be told of new bindings: process %d is %q and not dnsmasq: the pid file is stale\n"+
		"         → start dnsmasq with this pid-file, as the user of ipxe-cp\n", os.Getpid(), strings.TrimSuffix(string(comm), "\n")) + oneFault
	if text != want || good {
		t.Errorf("got %v\n%s\nwant\n%s", good, text, want)
	}
}

func TestAPortThatAnotherProgramHasIsAFaultAndOurOwnIsNone(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := sound(t)
	s.env["IPXE_CP_LISTEN"] = ln.Addr().String()
	text, good := s.checked()
	if want := "fault    IPXE_CP_LISTEN\n         " + ln.Addr().String() + " cannot be listened on: address already in use\n         → ss -ltnp tells who has it; ip address, which addresses this host has\n"; !strings.Contains(text, want) || good {
		t.Errorf("got %v\n%s\nwant\n%s", good, text, want)
	}
	_ = ln.Close()
	s.env["IPXE_CP_LISTEN"] = "127.0.0.1:0"
	s.start()
	s.env["IPXE_CP_LISTEN"] = strings.TrimPrefix(s.url, "http://")
	text, good = s.checked()
	stamp := strings.TrimSpace(s.read("state/ipxe-cp.lock"))
	if !strings.HasPrefix(stamp, fmt.Sprintf("%d on ", os.Getpid())) {
		t.Errorf("the lock says %q", stamp)
	}
	if want := "note     HOME/state/ipxe-cp.lock\n         a control plane, process " + stamp + ", runs on these ledgers\n" + untold + "ipxe-cp: 0 faults, 1 warning\n"; text != want || !good {
		t.Errorf("beside a control plane that runs: got %v\n%s\nwant\n%s", good, text, want)
	}
}

func TestACheckReadsTheCertificatesForNodesToo(t *testing.T) {
	ca := certstest.New(t, "ca")
	good, other, old := certstest.In(t.TempDir(), "cp"), certstest.In(t.TempDir(), "cp"), certstest.In(t.TempDir(), "cp")
	ca.Issue(good, "cp")
	ca.Issue(other, "cp")
	ca.IssueFor(old, "cp", time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour))
	for _, x := range []struct {
		ca, cert, key, want string
		good                bool
	}{
		{ca.File, good.Cert, good.Key, "ipxe-cp: 0 faults, 1 warning\n", true},
		{ca.File, good.Cert, other.Key, "fault    IPXE_CP_AGENT_TLS_CA, IPXE_CP_AGENT_TLS_CERT\n", false},
		{"/nowhere.pem", good.Cert, good.Key, "fault    IPXE_CP_AGENT_TLS_CA, IPXE_CP_AGENT_TLS_CERT\n", false},
		{ca.File, old.Cert, old.Key, "expired at ", true},
	} {
		s := sound(t)
		s.env["IPXE_CP_AGENT_TLS_CA"], s.env["IPXE_CP_AGENT_TLS_CERT"], s.env["IPXE_CP_AGENT_TLS_KEY"] = x.ca, x.cert, x.key
		if text, good := s.checked(); good != x.good || !strings.Contains(text, x.want) {
			t.Errorf("got %v\n%s\nwant %q", good, text, x.want)
		}
	}
}
