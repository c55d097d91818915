package controlplane

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// holds wants each of the parts in text, in that order.
func holds(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, p := range parts {
		_, after, found := strings.Cut(rest, p)
		if !found {
			t.Errorf("got\n%s\nwant, after what stands before it,\n%s", text, p)
			return
		}
		rest = after
	}
}

func TestFaultsOfEveryKindAtOnceAreAllNamed(t *testing.T) {
	s := sound(t)
	s.file("state/settings.json", "{\n  \"auto_register\": 7,\n  \"retired\": [\"a b\",\n    \"c d\"]\n}\n")
	s.file("dnsmasq/dhcp-hosts.conf", "52:54:00:00:00:01,pc-01\nzz:54:00:00:00:02,pc-02\n52:54:00:00:00:03,bad_name!\n52:54:00:00:00:04\n52:54:00:00:00:05,pc-01\n")
	s.file("state/workers.yml", `workers:
  pc-01: {hostname: pc-01, disks: []}
  pc-02: {disks: []}
  pc-03: {hostname: pc-01, disks: []}
  pc-04: {hostname: pc-01, disks: []}
  pc-05: {hostname: pc-05, disks: [{agent: st9, iqn: "iqn.2026-07.com.a:pc-05.debian", os: debian, filename: pc-05.debian.img}]}
`)
	s.file("config/agents.yml", "agents:\n  st1: {base_url: \"http://a:1\", token: \"${NOPE}\", role: {disk: true}}\n  st2: {}\n  st3: {base_url: ftp://a}\n")
	for name, value := range map[string]string{
		"IPXE_CP_MAX_WORKERS": "many", "IPXE_CP_LOG_LEVEL": "loud", "IPXE_CP_AUTO_REGISTER": "maybe", "IPXE_CP_BOOT_MENU_TIMEOUT": "soon",
		"IPXE_CP_TOKEN": "short", "IPXE_CP_VIEW_TOKEN": "short", "IPXE_CP_TRUSTED_PROXIES": "all", "IPXE_CP_AGENT_PARALLEL": "0",
		"IPXE_CP_TLS_CERT": "/cert.pem", "IPXE_CP_BOOT_LISTEN": "4841", "IPXE_CP_DNSMASQ_RELOAD": "yes", "IPXE_CP_AGENT_TLS_KEY": "/key.pem",
	} {
		s.env[name] = value
	}
	text, good := s.checked()
	if good {
		t.Error("it is taken for good")
	}
	for _, name := range []string{"IPXE_CP_MAX_WORKERS", "IPXE_CP_LOG_LEVEL", "IPXE_CP_AUTO_REGISTER", "IPXE_CP_BOOT_MENU_TIMEOUT", "IPXE_CP_VIEW_TOKEN",
		"IPXE_CP_TRUSTED_PROXIES", "IPXE_CP_AGENT_PARALLEL", "IPXE_CP_TLS_CERT", "IPXE_CP_BOOT_LISTEN", "IPXE_CP_DNSMASQ_RELOAD", "IPXE_CP_AGENT_TLS_CERT"} {
		holds(t, text, "fault    "+name+"\n")
	}
	holds(t, text, "warning  IPXE_CP_TOKEN\n         is shorter than 16 characters and can be guessed\n")
	holds(t, text,
		"fault    HOME/state/settings.json:2\n         auto_register cannot be 7\n",
		"fault    HOME/state/settings.json:3\n         retired: ", "fault    HOME/state/settings.json:4\n         retired: ",
		"fault    HOME/state/workers.yml:3\n         worker pc-02: hostname is missing\n",
		"fault    HOME/state/workers.yml:4\n         worker pc-03 has the host name pc-01 of worker pc-01\n",
		"fault    HOME/state/workers.yml:5\n         worker pc-04 has the host name pc-01 of worker pc-01\n",
		"fault    HOME/config/agents.yml:3\n         agent st2: base_url is missing\n",
		"fault    HOME/config/agents.yml:4\n         agent st3: base_url: ",
		"warning  HOME/dnsmasq/dhcp-hosts.conf:2\n         dnsmasq skips this line",
		"warning  HOME/dnsmasq/dhcp-hosts.conf:3\n         dnsmasq skips this line",
		"warning  HOME/dnsmasq/dhcp-hosts.conf:5\n         host name pc-01 is that of 52:54:00:00:00:01 in line 1",
		"fault    HOME/state/workers.yml\n         the debian disk of worker pc-05 is on agent st9",
		"the token of agent st1 names ${NOPE}",
		"note     dnsmasq\n         looked at once IPXE_CP_DNSMASQ_RELOAD is right\n",
		"note     certificates\n         looked at once IPXE_CP_AGENT_TLS_CERT is right\n",
		"note     ports\n         looked at once IPXE_CP_BOOT_LISTEN is right\n",
	)
}

func TestARowThatStandsTwiceHidesNoOther(t *testing.T) {
	s := sound(t)
	s.file("state/workers.yml", "workers:\n  pc-01: {hostname: pc-01}\n  pc-01: {hostname: pc-02}\n  pc-03: {hostname: pc-03}\n  pc-03: {hostname: pc-04}\n")
	s.file("config/agents.yml", "agents:\n  st1: {base_url: \"http://a:1\"}\n  st1: {base_url: \"http://a:2\"}\n  st1: {base_url: \"http://a:3\"}\n")
	text, _ := s.checked()
	holds(t, text, "workers.yml:3\n         worker pc-01 stands twice\n", "workers.yml:5\n         worker pc-03 stands twice\n",
		"agents.yml:3\n         agent st1 stands twice\n", "agents.yml:4\n         agent st1 stands twice\n")
	if n := strings.Count(text, "stands twice"); n != 4 {
		t.Errorf("%d are named\n%s", n, text)
	}
}

func TestEveryFieldOfARowIsJudged(t *testing.T) {
	s := sound(t)
	s.file("state/workers.yml", `workers:
  pc-01:
    hostname: "7"
    state: running
    default_os: [debian]
    disks:
      - {agent: "a b", os: debian}
      - 7
  pc-02: 8
`)
	text, _ := s.checked()
	holds(t, text, "workers.yml:3\n         worker pc-01: hostname: ", "workers.yml:4\n         worker pc-01: state \"running\"", "workers.yml:5\n         worker pc-01: default_os is no text",
		"workers.yml:7\n         worker pc-01: disk 1: agent: ", "workers.yml:7\n         worker pc-01: disk 1: iqn is missing", "workers.yml:8\n         worker pc-01: disk 2: is no mapping",
		"workers.yml:9\n         worker pc-02: is no mapping")
	if n := strings.Count(text, "fault    "); n != 7 {
		t.Errorf("%d are named\n%s", n, text)
	}
}

func TestOfAFileThatANewerReleaseWroteACheckSaysSoAndCallsForNoEditor(t *testing.T) {
	const (
		newer = "schema 2 is newer than this program, which knows 1: a newer release wrote the file\n         → install the newer release again, or put back the .bak that it left beside the file"
		kept  = "a newer program wrote it: schema 2, and this program knows 1\n         → install the newer release again"
		left  = "schema 2"
	)
	for name, c := range map[string]struct{ content, where, want string }{
		"state/workers.yml":       {"schema: 2\nworkers:\n  pc-01: {hosts: [pc-01]}\n...\n", "fault    HOME/state/workers.yml:1\n", newer},
		"config/agents.yml":       {"schema: 2\nagents:\n  st1: {url: a}\n...\n", "fault    HOME/config/agents.yml:1\n", newer},
		"state/settings.json":     {`{"schema": 2, "retired": {}}`, "fault    HOME/state/settings.json\n", newer},
		"state/.known-files.json": {`{"schema": 2}`, "fault    HOME/state/.known-files.json\n", kept},
		"state/boots.json":        {`{"schema": 2}`, "warning  HOME/state/boots.json\n", left},
		"state/tasks.json":        {`{"schema": 2}`, "warning  HOME/state/tasks.json\n", left},
		"state/leftovers.json":    {`{"schema": 2}`, "warning  HOME/state/leftovers.json\n", left},
	} {
		t.Run(name, func(t *testing.T) {
			s := sound(t)
			s.file(name, c.content)
			text, good := s.checked()
			holds(t, text, c.where, c.want)
			if good != strings.HasPrefix(c.where, "warning") || strings.Contains(text, "editor") || strings.Contains(text, "no worker is called") || strings.Count(text, "  HOME/"+name) != 1 {
				t.Errorf("got %v\n%s", good, text)
			}
		})
	}
}

func TestAVariableThatIsMistypedIsNamedAndOneOfTheInventoryIsNot(t *testing.T) {
	s := sound(t)
	s.file("config/agents.yml", strings.Replace(oneNode, "secret", "\"${IPXE_CP_ST1}\"", 1))
	s.env["IPXE_CP_ST1"], s.env["IPXE_CP_VEIW_TOKEN"], s.env["IPXE_CP_URL"], s.env["IPXE_ACL"] = "secret", "x", "http://a", "all"
	text, good := s.checked()
	want := untold + "warning  IPXE_CP_VEIW_TOKEN\n         nothing reads a variable of this name: is it mistyped?\n         → docs/settings.md has every variable\nipxe-cp: 0 faults, 2 warnings\n"
	if text != want || !good {
		t.Errorf("got %v\n%s\nwant\n%s", good, text, want)
	}
}

func TestADockerEngineThatSaysNothingHoldsNoCheck(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "docker.sock")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close() // nobody accepts
	c := &check{o: Options{Reload: Reload{Mode: "container", Container: "dnsmasq"}}, docker: socket, patience: 20 * time.Millisecond}
	c.dnsmasq(t.Context())
	if len(c.List) != 1 || c.List[0].Where != "dnsmasq" || !strings.Contains(c.List[0].What, "dnsmasq cannot be told of new bindings: ") {
		t.Errorf("%v", c.List)
	}
}
