package ledger

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"ipxe-all-ready/internal/netboot"
)

func TestTheOriginalsLedgersBecomeOursWithTheFirstWriteAndAreKeptBesideThem(t *testing.T) {
	dir := t.TempDir()
	o := optionsIn(dir)
	const agents, settings = "agents:\n  node-a: {base_url: 'http://a:1', token: secret}\n", `{"auto_register": false, "theirs": 1}`
	write(t, o.WorkersFile, handMade)
	write(t, o.AgentsFile, agents)
	write(t, o.SettingsFile, settings)
	unbound(t, dir)
	if err := os.Chmod(o.AgentsFile, 0o600); err != nil {
		t.Fatal(err)
	}
	h := open(t, dir)
	for path, want := range map[string]string{o.WorkersFile: handMade, o.AgentsFile: agents, o.SettingsFile: settings} {
		if got := read(t, path); got != want {
			t.Errorf("%s was written though nobody changed it: %s", path, got)
		}
		if _, err := os.Stat(path + ".schema-0.bak"); err == nil {
			t.Errorf("%s was copied for nothing", path)
		}
	}
	change := func(name string) func(*Tx) error {
		return func(tx *Tx) error {
			tx.PutAgent(&Agent{ID: must(netboot.ParseAgentID("node-b")), BaseURL: "http://" + name + ":1"})
			tx.PutSettings(Settings{Retired: []netboot.Hostname{host(name)}})
			tx.PutWorker(&Worker{ID: id(name), Hostname: host(name), State: Registered})
			return nil
		}
	}
	h.commit(change("first"))
	h.commit(change("second"))
	for path, want := range map[string]string{o.WorkersFile: handMade, o.AgentsFile: agents, o.SettingsFile: settings} {
		if got := read(t, path+".schema-0.bak"); got != want {
			t.Errorf("%s is not kept: %s", path, got)
		}
		if copies, _ := filepath.Glob(path + ".schema*"); len(copies) != 1 {
			t.Errorf("copies %q", copies)
		}
		if !strings.Contains(read(t, path), "schema") {
			t.Errorf("%s names no schema", path)
		}
	}
	if info, err := os.Stat(o.AgentsFile + ".schema-0.bak"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy that holds a token: %v %v", info.Mode(), err)
	}
	// A row that nobody changed has the list, too, and what we do not know.
	rows := read(t, o.WorkersFile)
	if strings.Contains(rows, "disk:\n") || !strings.Contains(rows, "    disks:\n      - agent: node-a\n        iqn: iqn.2026-07.com.controller:worker-02.debian\n") {
		t.Errorf("%s", rows)
	}
	for _, theirs := range []string{"# fleet of room 3", "# kept", "racks: [a, b]", "note: {"} {
		if !strings.Contains(rows, theirs) {
			t.Errorf("%q is lost in %s", theirs, rows)
		}
	}
	h.stop()
	if l, err := Open(o); err != nil || len(l.Faults()) != 0 || l.Snapshot().Len() != h.Snapshot().Len() {
		t.Errorf("read back: %v %v", err, l.Faults())
	}
}

// third is a format to come, whose schema 2 called arch "cpu" and 3 "machine".
func third() format {
	rename := func(from, to string) raising {
		return func(row *yaml.Node) bool {
			for i := 0; i+1 < len(row.Content); i += 2 {
				if row.Content[i].Value == from {
					row.Content[i].Value = to
					return true
				}
			}
			return false
		}
	}
	return format{version: 3, rows: map[string][]raising{"workers": {singleDisk, rename("arch", "cpu"), rename("cpu", "machine")}}}
}

func TestALedgerOfEachOlderSchemaIsRaisedAtTheStartAndKeptBesideTheNewOne(t *testing.T) {
	const text = "# mine\nschema: %d # theirs\nworkers:\n  # first\n  pc-01:\n    hostname: pc-01\n    %s: arm64 # kept\n    state: registered\n    rack: 7\n  pc-02:\n    hostname: pc-02\n    state: registered\n# end\n...\n"
	for schema, key := range map[int]string{1: "arch", 2: "cpu"} {
		t.Run(fmt.Sprint(schema), func(t *testing.T) {
			dir := t.TempDir()
			o := optionsIn(dir)
			old := fmt.Sprintf(text, schema, key)
			write(t, o.WorkersFile, old)
			unbound(t, dir)
			o.format = third()
			kept := fmt.Sprintf("%s.schema-%d.bak", o.WorkersFile, schema)
			for _, crash := range []string{"none", "after the copy", "a copy of another time"} {
				switch crash {
				case "after the copy":
					write(t, kept, old)
				case "a copy of another time":
					write(t, kept, "other\n")
					kept = fmt.Sprintf("%s.schema-%d.2.bak", o.WorkersFile, schema)
				}
				write(t, o.WorkersFile, old)
				l, err := Open(o)
				if err != nil || len(l.Faults()) != 0 || l.Snapshot().Len() != 2 {
					t.Fatalf("%s: %v %v", crash, err, l.Faults())
				}
				if got, want := read(t, o.WorkersFile), fmt.Sprintf(text, 3, "machine"); got != want {
					t.Errorf("%s: %s", crash, got)
				}
				if got := read(t, kept); got != old {
					t.Errorf("%s: kept is %s", crash, got)
				}
			}
		})
	}
}

func TestFilesOfANewerSchemaAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	o := optionsIn(dir)
	marker := filepath.Join(filepath.Dir(o.WorkersFile), markerName)
	newer := map[string]string{
		o.WorkersFile:  "schema: 2\nworkers:\n  pc-01:\n    hostname: pc-01\n    state: registered\n...\n",
		o.AgentsFile:   "schema: 2\nagents: {}\n...\n",
		o.SettingsFile: `{"schema": 2}`,
		o.BootsFile:    `{"schema":2,"boots":{}}`,
		marker:         `{"schema":2,"files":[]}`,
	}
	for path, text := range newer {
		write(t, path, text)
	}
	unbound(t, dir)
	h := open(t, dir)
	if f := h.Faults(); len(f) != 3 || !strings.Contains(f[0].Text, "schema 2 is newer than this program, which knows 1") {
		t.Errorf("%v", f)
	}
	if _, err := h.Commit(t.Context(), registered(mac(1), new(netboot.Hostname))); err == nil {
		t.Error("a newer ledger was written")
	}
	if h.Snapshot().Len() > 0 {
		h.MarkBoot(h.worker("pc-01"), h.Ledger.o.Now())
	}
	h.stop()
	for path, want := range newer {
		if got := read(t, path); got != want {
			t.Errorf("%s is %s", path, got)
		}
	}
}
