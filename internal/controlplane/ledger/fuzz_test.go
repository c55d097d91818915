package ledger

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ipxe-all-ready/internal/netboot"
)

// written is what a sheet made of content would be written as, and its rows.
func written(content []byte) (again []byte, rows string, err error) {
	d, err := parseDocument(content, "workers", presentFormat())
	if err != nil {
		return nil, "", err
	}
	list, err := readWorkers(d.raised())
	if err != nil {
		return nil, "", err
	}
	s, err := d.sheet()
	if err != nil {
		return nil, "", err
	}
	var b bytes.Buffer
	err = s.writeTo(&b)
	return b.Bytes(), tell(list), err
}

func tell(list []*Worker) string {
	var b strings.Builder
	for _, w := range list {
		fmt.Fprintf(&b, "%q %q %q %v %v %q %q\n", w.ID, w.Hostname, w.State, w.Disks, w.CD, w.DefaultOS, w.Boot.MenuDefault)
	}
	return b.String()
}

func seedLedgers(f *testing.F) {
	for _, s := range []string{
		"workers: {}\n",
		"schema: 1\nworkers:\n  pc-01:\n    hostname: pc-01\n    arch: x86_64\n    state: registered\n    disks: []\n...\n",
		"# head\nworkers:\n  pc-01: # of the lab\n    hostname: PC-01\n    note: kept\n    disks:\n    - {agent: st1, iqn: 'iqn.2026-07.com.c:pc-01.ubuntu', filename: pc-01.ubuntu.img, backing: /d/x, os: ubuntu, source: {type: empty, size: 1G}}\n  pc-02: {hostname: pc-02}\nother: 1\n",
		"workers: {a: {hostname: a}, b: &x {hostname: b}, c: *x}\n",
		"workers:\n  a:\n    hostname: |\n      a\n",
		"workers:\n  a: {hostname: a, disk: {agent: st1, iqn: 'iqn.2026-07.com.c:a.ubuntu', os: ubuntu}}\n",
		"x: &a [*a]\nworkers: {}\n", "workers:\n\ta: 1\n", "\xff\xfe", "workers:\n  ? a\n  : b\n", "schema: 2\nworkers: {}\n...\n", "---\nworkers: {}\n---\n",
	} {
		f.Add([]byte(s))
	}
}

func FuzzAWorkersFileIsWrittenAsItWasRead(f *testing.F) {
	seedLedgers(f)
	f.Fuzz(func(t *testing.T, content []byte) {
		salvageWorkers(content)
		text, rows, err := written(content)
		if err != nil {
			return
		}
		again, rowsAgain, err := written(text)
		if err != nil || rows != rowsAgain {
			t.Fatalf("%q was written as %q and read back: %v\n%s\n%s", content, text, err, rows, rowsAgain)
		}
		if !bytes.Equal(text, again) {
			t.Fatalf("%q was written as %q and then as %q", content, text, again)
		}
	})
}

func FuzzAnAgentsFileHoldsNoAddressThatIsNone(f *testing.F) {
	for _, s := range []string{
		"agents: {}\n", "agents:\n  st1: {base_url: 'http://st1:4840', token: '${NODE_TOKEN}', role: {disk: true}, tags: [stgt]}\n",
		"agents:\n  st1:\n    base_url: http://[::1]:4840/\n    iscsi_server: 192.168.80.3\n    enabled: no\n", "agents: [1]\n",
		"agents:\n  st1: {base_url: 'http://a b', token: \"\\0\"}\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		d, err := parseDocument(content, "agents", presentFormat())
		if err != nil {
			return
		}
		list, _ := readAgents(d.raised(), func(string) string { return "secret" })
		for _, a := range list {
			if _, err := ParseBaseURL(a.BaseURL); err != nil {
				t.Errorf("%q has the address %q: %v", content, a.BaseURL, err)
			}
			if strings.ContainsAny(a.ISCSIServer.String(), " \n\r\x00${") {
				t.Errorf("%q has the server %q", content, a.ISCSIServer)
			}
		}
	})
}

func FuzzParseBaseURL(f *testing.F) {
	for _, s := range []string{"http://st1:4840", "https://[fd00::1]:4840/x/", "HTTP://a", "http://a:0", "http://a:", "http:a", "http://@a", "http://a/..", "http://a/%2e%2e", "http://a\\b", "http://${X}", "//a", "http://é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out, err := ParseBaseURL(s)
		if err != nil {
			return
		}
		u, perr := url.Parse(out)
		if perr != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.HasSuffix(out, "/") || strings.ContainsAny(out, " \n\r\x00\\") || strings.Contains(out, "${") {
			t.Errorf("%q is the address %q", s, out)
		}
		if again, err := ParseBaseURL(out); err != nil || again != out {
			t.Errorf("%q came out as %q and is read back as %q, %v", s, out, again, err)
		}
	})
}

func FuzzSettingsAreWrittenAndReadBack(f *testing.F) {
	for _, s := range []string{`{}`, `{"auto_register": true, "retired": ["worker-07"], "schema": 1, "note": {"a": [1]}}`, `null`, `[]`, `{"schema": 2}`, `{"retired": ["A b"]}`, `{"retired": null}`, "{\"a\": 1e999}", `{"auto_register": "yes"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		s, _, err := readSettings(content)
		if err != nil {
			return
		}
		on := true
		s.AutoRegister = &on
		text, err := writeSettings(content, s)
		if err != nil {
			t.Fatalf("%q cannot be written: %v", content, err)
		}
		back, _, err := readSettings(text)
		if err != nil || back.AutoRegister == nil || !*back.AutoRegister || fmt.Sprint(back.Retired) != fmt.Sprint(s.Retired) {
			t.Fatalf("%q was written as %q and read back as %+v, %v", content, text, back, err)
		}
		before, _ := settingsFields(content)
		after, _ := settingsFields(text)
		for key := range before {
			if _, kept := after[key]; !kept {
				t.Errorf("%q lost %q: %q", content, key, text)
			}
		}
	})
}

// FuzzAnyFilesServeAndAreNotLost opens a ledger on three files of any content.
func FuzzAnyFilesServeAndAreNotLost(f *testing.F) {
	f.Add([]byte("workers:\n  pc-01: {hostname: pc-01}\n"), []byte("52:54:00:00:00:01,pc-01\n"), []byte("{}"))
	f.Add([]byte("workers: [\n"), []byte("\x00"), []byte("{"))
	f.Add([]byte(""), []byte(""), []byte(""))
	const two = "schema: 2\nworkers:\n  pc-01: {hostname: pc-01, disks: [{agent: st1, iqn: 'iqn.2026-07.com.c:pc-01.ubuntu', filename: pc-01.ubuntu.img, os: ubuntu, source: {type: empty, size: 1G}}]}\n  pc-02:\n    hostname: pc-02\n    disks: []\n...\n"
	f.Add([]byte(two), []byte("# by hand\r\n52:54:00:00:00:01,set:lab,pc-01,10m\r\n52-54-00-00-00-02,pc-02\n"), []byte(`{"auto_register":true,"retired":["pc-09"],"newer":1}`))
	f.Add([]byte(two), []byte("52:54:00:00:00:01,pc-01\n52:54:00:00:00:01,pc-02\n52:54:00:00:00:03,PC-01\nid:*,pc-02\n,,\n"), []byte(`{"auto_register":"yes"}`))
	f.Add([]byte(two[:len(two)-40]), []byte("52:54:00:00:00:01,pc-0"), []byte(`{"auto_register":tr`))
	f.Add([]byte("schema: 99\nworkers: {}\n"), []byte("52:54:00:00:00:01,pc-01 # \xff\n"), []byte(`{"schema":99}`))
	f.Add([]byte("workers:\n  a: {hostname: x}\n  b: {hostname: X}\n  c: {hostname: 7}\n  d: null\n  e: []\n"), []byte(strings.Repeat("x", 5000)+"\n"), []byte("[]"))
	f.Fuzz(func(t *testing.T, workers, hosts, settings []byte) {
		o := optionsIn(t.TempDir())
		for path, content := range map[string][]byte{o.WorkersFile: workers, o.HostsFile: hosts, o.SettingsFile: settings} {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		l, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		snap := l.Snapshot()
		seen := map[netboot.Hostname]bool{}
		for w := range snap.Workers() {
			if w.Broken == "" && seen[w.Hostname] {
				t.Errorf("host name %s is there twice", w.Hostname)
			}
			seen[w.Hostname] = true
		}
		for path, content := range map[string][]byte{o.WorkersFile: workers, o.HostsFile: hosts, o.SettingsFile: settings} {
			if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, content) {
				t.Errorf("%s became %q, %v", path, now, err)
			}
		}
	})
}
