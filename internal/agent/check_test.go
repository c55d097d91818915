package agent

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/certs/certstest"
)

// checkSite is the environment of a node whose tgtd does not run.
func checkSite(t *testing.T) (root string, env map[string]string) {
	t.Helper()
	root = t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "images"), 0o700); err != nil {
		t.Fatal(err)
	}
	return root, map[string]string{
		"IPXE_AGENT_LISTEN": "127.0.0.1:0", "IPXE_AGENT_TOKEN": "a-token-that-is-long", "IPXE_DISK_DIR": filepath.Join(root, "images"),
		"IPXE_IQN_BASE": base, "IPXE_BACKEND": "lio", "IPXE_LIO_ROOT": filepath.Join(root, "target"),
	}
}

// checked is what a check says, without what the file system of the test can do.
func checked(t *testing.T, root string, env map[string]string) (text string, good bool) {
	t.Helper()
	var out strings.Builder
	var environ []string
	for name, value := range env {
		environ = append(environ, name+"="+value)
	}
	good = Check(t.Context(), environ).Print(&out, "ipxe-agent")
	text = strings.ReplaceAll(out.String(), root, "ROOT")
	if at := strings.Index(text, "note     ROOT/images\n"); at >= 0 {
		rest := text[at:]
		for range 3 {
			_, rest, _ = strings.Cut(rest, "\n")
		}
		text = text[:at] + rest
	}
	return text, good
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestEachFaultOfANodeIsExplained(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(root string, env map[string]string)
		want  string
		good  bool
	}{
		"none": {func(string, map[string]string) {}, "ipxe-agent: 0 faults, 0 warnings\n", true},
		"variables": {func(_ string, env map[string]string) { delete(env, "IPXE_DISK_DIR"); env["IPXE_ACL"] = "some" }, `fault    IPXE_DISK_DIR
         is required and not set
         → docs/settings.md has every variable
fault    IPXE_ACL
         "some" is not one of all, initiator
         → docs/settings.md has every variable
note     image folder
         looked at once IPXE_DISK_DIR is right
note     what is kept beside it
         looked at once IPXE_DISK_DIR is right
ipxe-agent: 2 faults, 0 warnings
`, false},
		"no folder": {func(root string, _ map[string]string) { _ = os.Remove(filepath.Join(root, "images")) }, `fault    ROOT/images
         image folder ROOT/images is missing
         → mount its file system, or make the folder at a new node
ipxe-agent: 1 fault, 0 warnings
`, false},
		"a folder that is not mounted": {func(root string, _ map[string]string) {
			put(t, filepath.Join(root, "ipxe-agent.folders.json"), fmt.Sprintf(`{"schema":1,"folders":{%q:"mark"}}`, filepath.Join(root, "images")))
		}, `fault    ROOT/images
         image folder ROOT/images held images and now lacks its mark .ipxe-agent.id: is its file system mounted? If it is to begin anew, put an empty file of that name there
         → mount its file system, or make the folder at a new node
ipxe-agent: 1 fault, 0 warnings
`, false},
		"images": {func(root string, _ map[string]string) {
			put(t, filepath.Join(root, "images", "has space.img"), "")
			put(t, filepath.Join(root, "images", "pc-01.debian.img"), "short")
			put(t, filepath.Join(root, "images", "setup.iso"), "")
		}, `warning  ROOT/images/has space.img
         it is not exported: disk file "has space.img" is not one file name of A-Z, a-z, 0-9, '.', '_' and '-'
         → rename, mend or remove it
warning  ROOT/images/pc-01.debian.img
         it is not exported: pc-01.debian.img holds 5 bytes, a disk has at least 1048576
         → rename, mend or remove it
note     ROOT/images/setup.iso
         it is not exported: the kernel's target has no CDs
ipxe-agent: 0 faults, 2 warnings
`, true},
		"what is kept": {func(root string, _ map[string]string) { put(t, filepath.Join(root, "ipxe-agent.targets.json"), "{") }, `fault    ROOT/ipxe-agent.targets.json
         it is no JSON: what is known of image folders and targets is lost
         → remove it while the image folder is mounted; it is made anew
ipxe-agent: 1 fault, 0 warnings
`, false},
		"what a newer release kept": {func(root string, _ map[string]string) {
			put(t, filepath.Join(root, "ipxe-agent.targets.json"), `{"schema":2,"targets":{}}`)
		}, `fault    ROOT/ipxe-agent.targets.json
         schema 2 is newer than this agent, which knows 1: a newer release wrote the file
         → install the newer release again, or remove the file while the image folder is mounted; it is made anew
ipxe-agent: 1 fault, 0 warnings
`, false},
		"a variable that is mistyped": {func(_ string, env map[string]string) {
			env["IPXE_MINFREE"], env["IPXE_CP_HOME"] = "10%", "/srv/site"
		}, `warning  IPXE_MINFREE
         nothing reads a variable of this name: is it mistyped?
         → docs/settings.md has every variable
ipxe-agent: 0 faults, 1 warning
`, true},
		"a token that everybody can read": {func(root string, env map[string]string) {
			delete(env, "IPXE_AGENT_TOKEN")
			env["IPXE_AGENT_TOKEN_FILE"] = filepath.Join(root, "token")
			put(t, filepath.Join(root, "token"), "a-token-that-is-long\n")
			if err := os.Chmod(filepath.Join(root, "token"), 0o444); err != nil {
				t.Fatal(err)
			}
		}, `warning  IPXE_AGENT_TOKEN_FILE
         "ROOT/token" can be read by every user of this host (mode 0444)
         → chmod o= the file, and make a new token or key if somebody may have read it
ipxe-agent: 0 faults, 1 warning
`, true},
		"no kernel target": {func(root string, _ map[string]string) { _ = os.RemoveAll(filepath.Join(root, "target")) }, `fault    ROOT/target
         the kernel's target is not there: is configfs mounted and target_core_mod loaded?
         → modprobe -a configfs target_core_mod target_core_file iscsi_target_mod; the drop-in lio.conf does it at each start
ipxe-agent: 1 fault, 0 warnings
`, false},
		"no tgt": {func(_ string, env map[string]string) {
			env["IPXE_BACKEND"], env["IPXE_TGTADM"] = "stgt", "/none/tgtadm"
		}, `fault    IPXE_TGTADM
         exec: "/none/tgtadm": stat /none/tgtadm: no such file or directory
         → apt-get install tgt
ipxe-agent: 1 fault, 0 warnings
`, false},
		"no space": {func(_ string, env map[string]string) { env["IPXE_MIN_FREE"] = "60T" }, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			root, env := checkSite(t)
			put(t, filepath.Join(root, "target", "core", "x"), "")
			c.spoil(root, env)
			before, _ := os.ReadDir(env["IPXE_DISK_DIR"])
			text, good := checked(t, root, env)
			if name == "no space" { // the figures are the test machine's
				if !strings.Contains(text, "are kept in reserve: no new disk is made\n         → make room, or lower IPXE_MIN_FREE\nipxe-agent: 0 faults, 1 warning\n") {
					t.Errorf("got\n%s", text)
				}
				return
			}
			if text != c.want || good != c.good {
				t.Errorf("got %v\n%s\nwant\n%s", good, text, c.want)
			}
			if after, _ := os.ReadDir(env["IPXE_DISK_DIR"]); len(after) != len(before) {
				t.Errorf("the folder held %v and holds %v", before, after)
			}
		})
	}
}

func TestAPortThatIsTakenIsAWarningAsTheAgentMayRun(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	root, env := checkSite(t)
	put(t, filepath.Join(root, "target", "core", "x"), "")
	env["IPXE_AGENT_LISTEN"] = ln.Addr().String()
	text, good := checked(t, root, env)
	want := "warning  IPXE_AGENT_LISTEN\n         " + ln.Addr().String() + " cannot be listened on: address already in use\n         → right if the agent runs already; else ss -ltnp tells who has it\nipxe-agent: 0 faults, 1 warning\n"
	if text != want || !good {
		t.Errorf("got %v\n%s\nwant\n%s", good, text, want)
	}
}

func TestACheckReadsTheCertificates(t *testing.T) {
	ca := certstest.New(t, "ca")
	good, other := certstest.In(t.TempDir(), "st1"), certstest.In(t.TempDir(), "st1")
	ca.Issue(good, "st1")
	ca.Issue(other, "st1")
	for _, x := range []struct {
		key, ca string
		fault   bool
	}{{good.Key, ca.File, false}, {other.Key, ca.File, true}, {good.Key, "/nowhere.pem", true}} {
		root, env := checkSite(t)
		env["IPXE_AGENT_TLS_CERT"], env["IPXE_AGENT_TLS_KEY"], env["IPXE_AGENT_TLS_CLIENT_CA"] = good.Cert, x.key, x.ca
		text, _ := checked(t, root, env)
		if got := strings.Contains(text, "fault    IPXE_AGENT_TLS_CERT, IPXE_AGENT_TLS_CLIENT_CA\n"); got != x.fault {
			t.Errorf("key %s, authority %s: a fault is %v\n%s", x.key, x.ca, got, text)
		}
	}
}

func TestFaultsOfEveryKindAtOnceAreAllNamed(t *testing.T) {
	root, env := checkSite(t)
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(root, "images", "has space.img"), "")
	put(t, filepath.Join(root, "ipxe-agent.targets.json"), "{")
	for name, value := range map[string]string{
		"IPXE_AGENT_LISTEN": "4840", "IPXE_IQN_BASE": "controller", "IPXE_BACKEND": "lio", "IPXE_TGTD": "managed", "IPXE_TGT_PORTAL": "here",
		"IPXE_OVERCOMMIT": "0", "IPXE_ACL": "some", "IPXE_CLONE_WORKERS": "none", "IPXE_TGT_CONTROL_PORT": "-1", "IPXE_LIO_SYNC": "maybe",
		"IPXE_AGENT_TLS_CLIENT_CA": "/ca.pem", "IPXE_AGENT_TLS_KEY": "/key.pem", "IPXE_AGENT_TOKEN": "", "IPXE_AGENT_TOKEN_FILE": filepath.Join(root, "pipe"),
	} {
		env[name] = value
	}
	text, good := checked(t, root, env)
	for _, want := range []string{"IPXE_AGENT_LISTEN", "IPXE_IQN_BASE", "IPXE_TGTD", "IPXE_TGT_PORTAL", "IPXE_OVERCOMMIT", "IPXE_ACL", "IPXE_CLONE_WORKERS",
		"IPXE_TGT_CONTROL_PORT", "IPXE_LIO_SYNC", "IPXE_AGENT_TLS_CLIENT_CA", "IPXE_AGENT_TLS_CERT",
		"IPXE_AGENT_TOKEN_FILE\n         \"ROOT/pipe\" is a named pipe, not a regular file", "ROOT/ipxe-agent.targets.json"} {
		if !strings.Contains(text, "fault    "+want+"\n") {
			t.Errorf("%s is not named", want)
		}
	}
	for _, want := range []string{"warning  ROOT/images/has space.img\n", "note     certificates\n", "note     iSCSI server\n", "note     port\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not told", want)
		}
	}
	if good || t.Failed() {
		t.Errorf("got %v\n%s", good, text)
	}
}

func TestAnAgentSaysOnceAtItsStartThatEverybodyCanReadItsToken(t *testing.T) {
	root, env := checkSite(t)
	delete(env, "IPXE_AGENT_TOKEN")
	env["IPXE_AGENT_TOKEN_FILE"] = filepath.Join(root, "token")
	put(t, filepath.Join(root, "token"), "a-token-that-is-long")
	for mode, lines := range map[os.FileMode]int{0o600: 0, 0o640: 0, 0o644: 1} {
		if err := os.Chmod(filepath.Join(root, "token"), mode); err != nil {
			t.Fatal(err)
		}
		o, err := FromEnv(func(name string) (string, bool) { v, ok := env[name]; return v, ok })
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		a, err := New(o, slog.New(slog.NewTextHandler(&said, nil)))
		if err != nil {
			t.Fatal(err)
		}
		a.close()
		if got := strings.Count(said.String(), "level=WARN msg=\"IPXE_AGENT_TOKEN_FILE "); got != lines || strings.Contains(said.String(), "a-token") {
			t.Errorf("%04o: %s", mode, &said)
		}
	}
}
