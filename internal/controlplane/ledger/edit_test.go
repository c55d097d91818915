package ledger

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

const handMade = `# fleet of room 3
site: lab   # ours
workers:
  # the one by the door
  worker-01:
    hostname: pc-01
    arch:   x86_64
    state: ready
    note: {owner: "Ada", since: 2024}   # kept
    disks:
      - agent: node-a
        iqn: iqn.2026-07.com.controller:pc-01.ubuntu
        filename: pc-01.ubuntu.img
        backing: /srv/images/pc-01.ubuntu.img
        os: ubuntu
        tier: fast
        source: {type: master, name: ubuntu_tpl_24.img}
    cd: null

  worker-02:
    hostname: worker-02
    arch: x86_64
    state: ready
    disk:
      agent: node-a
      iqn: iqn.2026-07.com.controller:worker-02.debian
      backing: /srv/images/worker-02.debian.img
# other things
racks: [a, b]
`

func TestAnOriginalLedgerIsReadWithItsOlderSingleDisk(t *testing.T) {
	dir := t.TempDir()
	write(t, optionsIn(dir).WorkersFile, handMade)
	unbound(t, dir)
	h := open(t, dir)
	if f := h.Faults(); len(f) != 0 {
		t.Fatalf("faults: %v", f)
	}
	w, _ := h.Snapshot().Worker(id("worker-02"))
	if len(w.Disks) != 1 || w.Disks[0].OS.String() != "debian" || w.Disks[0].Filename.String() != "worker-02.debian.img" {
		t.Errorf("disks: %+v", w.Disks)
	}
}

func TestWhatWeDoNotKnowSurvivesOurWrites(t *testing.T) {
	dir := t.TempDir()
	write(t, optionsIn(dir).WorkersFile, handMade)
	h := open(t, dir)
	h.commit(func(tx *Tx) error {
		tx.PutWorker(&Worker{ID: id("worker-03"), Hostname: host("worker-03"), State: Registered})
		w, _ := tx.Worker(id("worker-02"))
		w = w.Clone()
		w.DefaultOS = w.Disks[0].OS
		tx.PutWorker(w)
		return nil
	})
	want := strings.Replace(handMade, "workers:\n", "workers:\n", 1)
	want = strings.Replace(want, "site: lab", "schema: 1\nsite: lab", 1)
	want = strings.Replace(want, `    disk:
      agent: node-a
      iqn: iqn.2026-07.com.controller:worker-02.debian
      backing: /srv/images/worker-02.debian.img
`, `    disks:
      - agent: node-a
        iqn: iqn.2026-07.com.controller:worker-02.debian
        backing: /srv/images/worker-02.debian.img
        filename: worker-02.debian.img
        os: debian
    cd: null
    default_os: debian
  worker-03:
    hostname: worker-03
    state: registered
    disks: []
    cd: null
`, 1) + "...\n"
	if got := read(t, h.o.WorkersFile); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	h.commit(func(tx *Tx) error {
		w, _ := tx.Worker(id("worker-01"))
		w = w.Clone()
		w.State = Failed
		tx.PutWorker(w)
		return nil
	})
	got := read(t, h.o.WorkersFile)
	for _, keep := range []string{`note: {owner: "Ada", since: 2024} # kept`, "tier: fast", "# the one by the door", "# fleet of room 3", "racks: [a, b]"} {
		if !strings.Contains(got, keep) {
			t.Errorf("%q is lost:\n%s", keep, got)
		}
	}
	h.commit(func(tx *Tx) error {
		for _, n := range []string{"worker-01", "worker-02", "worker-03"} {
			tx.DeleteWorker(id(n))
		}
		return nil
	})
	if got, want := read(t, h.o.WorkersFile), "# fleet of room 3\nschema: 1\nsite: lab   # ours\nworkers: {}\n# other things\nracks: [a, b]\n...\n"; got != want {
		t.Errorf("emptied: %q, want %q", got, want)
	}
}

func TestAFileInFlowStyleOrWithAnchorsIsReadAndRewritten(t *testing.T) {
	for name, text := range map[string]string{
		"flow":    `{workers: {worker-01: {hostname: worker-01, state: registered, x: 1}}, y: 2}`,
		"anchors": "base: &b\n  arch: x86_64\n  x: 1\nworkers:\n  worker-01:\n    <<: *b\n    hostname: worker-01\ny: 2\n",
		"empty":   "workers: {}\ny: 2\nx: 1\n",
		"null":    "workers:\ny: 2\nx: 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, optionsIn(dir).WorkersFile, text)
			unbound(t, dir)
			h := open(t, dir)
			h.commit(func(tx *Tx) error { tx.PutWorker(plainWorker("worker-02")); return nil })
			h.stop()
			again := open(t, dir)
			if f := again.Faults(); len(f) != 0 {
				t.Fatalf("faults %v:\n%s", f, read(t, h.o.WorkersFile))
			}
			if got, want := again.Snapshot().Len(), h.Snapshot().Len(); got != want || got == 0 {
				t.Errorf("%d workers, want %d", got, want)
			}
			if got := read(t, h.o.WorkersFile); !strings.Contains(got, "x: 1") || !strings.Contains(got, "y: 2") {
				t.Errorf("keys are lost:\n%s", got)
			}
		})
	}
}

func TestAHandEditIsSeen(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 3)
	h := open(t, dir)
	h.MarkBoot(h.worker("worker-02"), h.Ledger.o.Now())
	text := read(t, h.o.WorkersFile)
	write(t, h.o.WorkersFile, strings.Replace(text, "hostname: worker-02", "hostname: pc-02", 1))
	eventually(t, "worker-02 is pc-02", func() bool {
		w, _ := h.Snapshot().Worker(id("worker-02"))
		return w.Hostname == host("pc-02")
	})
	if _, ok := h.Snapshot().LastBoot(id("worker-02")); !ok {
		t.Error("the last boot is forgotten")
	}
	write(t, h.o.HostsFile, read(t, h.o.HostsFile)+"52:54:00:00:00:63,set:lab,worker-50\n")
	eventually(t, "the binding", func() bool { _, ok := h.Snapshot().Binding(mac(0x63)); return ok })
	eventually(t, "dnsmasq reads it too", func() bool { return h.reloads.Load() >= 2 })
	var n netboot.Hostname
	h.commit(registered(mac(200), &n))
	if n != host("worker-51") {
		t.Errorf("the next name is %s", n)
	}
	write(t, h.o.SettingsFile, `{"auto_register": false, "theme": "dark"}`)
	eventually(t, "auto_register", func() bool { return h.Snapshot().Settings().AutoRegister != nil })
	h.commit(func(tx *Tx) error {
		s := tx.Settings()
		s.Retired = append(s.Retired, host("worker-52"))
		tx.PutSettings(s)
		if got := tx.NextName(); got != host("worker-53") {
			t.Errorf("NextName = %s", got)
		}
		return nil
	})
	if got := read(t, h.o.SettingsFile); !strings.Contains(got, `"theme": "dark"`) || !strings.Contains(got, `"auto_register": false`) {
		t.Errorf("settings: %s", got)
	}
}

func TestABrokenEditIsServedFromTheLastGoodContentAndNeverOverwritten(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 3)
	h := open(t, dir)
	good := read(t, h.o.WorkersFile)
	badIQN := strings.Replace(good, "iqn.2026-07.com.controller:worker-02", "iqn.2026-7.com:worker-02", 1)
	for name, c := range map[string]struct{ text, want string }{
		"syntax":    {strings.Replace(good, "    arch: x86_64\n", "   arch: [\n", 1), "workers.yml line 5 cannot be read and is not overwritten: not valid YAML: "},
		"value":     {badIQN, `workers.yml line 25 cannot be read and is not overwritten: worker worker-02: disk 1: iqn: iqn "iqn.2026-7.com:worker-02.ubuntu" does not start with`},
		"emptied":   {"", "workers.yml cannot be read and is not overwritten: the file is empty"},
		"cut short": {good[:strings.Index(good, "  worker-03:")], "the closing line \"...\" is missing"},
		"newer":     {strings.Replace(good, "schema: 1", "schema: 2", 1), "workers.yml line 1 cannot be read and is not overwritten: schema 2 is newer"},
		"twice":     {strings.Replace(good, "worker-03:\n", "worker-02:\n", 1), "worker worker-02 stands twice"},
		"two hosts": {strings.Replace(good, "hostname: worker-03", "hostname: worker-02", 1), "worker worker-03 has the host name worker-02 of worker worker-02"},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, h.o.WorkersFile, c.text)
			eventually(t, "a fault", func() bool { return len(h.Faults()) == 1 })
			if f := h.Faults()[0]; f.File != h.o.WorkersFile {
				t.Errorf("fault: %+v", f)
			}
			var n netboot.Hostname
			_, err := h.Commit(context.Background(), registered(mac(100), &n))
			if fault.CodeOf(err) != "ledger_unreadable" || !fault.Is(err, fault.Unavailable) || !strings.Contains(fault.Sentence(err), c.want) {
				t.Errorf("err = %v, want %s", err, c.want)
			}
			if h.Snapshot().Len() != 3 || read(t, h.o.WorkersFile) != c.text {
				t.Error("the file was overwritten, or the last good content is not served")
			}
			h.commit(func(tx *Tx) error {
				tx.PutSettings(Settings{Retired: []netboot.Hostname{host(strings.ReplaceAll(name, " ", "-"))}})
				return nil
			})
			write(t, h.o.WorkersFile, good)
			eventually(t, "mended", func() bool { return len(h.Faults()) == 0 })
		})
	}
	if got := read(t, h.o.HostsFile); strings.Contains(got, "00:64") {
		t.Error("a refused registration left a binding")
	}
}

func TestAVanishedFileIsABrokenEdit(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 2)
	h := open(t, dir)
	for _, path := range []string{h.o.WorkersFile, h.o.HostsFile} {
		good := read(t, path)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		eventually(t, "a fault", func() bool { return len(h.Faults()) == 1 })
		_, err := h.Commit(context.Background(), registered(mac(100), new(netboot.Hostname)))
		if fault.CodeOf(err) != "ledger_unreadable" || !strings.Contains(fault.Sentence(err), "the file has vanished; put it back") {
			t.Errorf("err = %v", err)
		}
		if _, _, ok := h.Snapshot().ByMAC(mac(2)); !ok || h.Snapshot().Len() != 2 {
			t.Error("the last good content is not served")
		}
		write(t, path, good)
		eventually(t, "mended", func() bool { return len(h.Faults()) == 0 })
	}
	write(t, h.o.HostsFile, "")
	eventually(t, "a fault", func() bool { return len(h.Faults()) == 1 })
	write(t, h.o.HostsFile, "# all gone\n")
	eventually(t, "no binding", func() bool { _, ok := h.Snapshot().Binding(mac(2)); return !ok && len(h.Faults()) == 0 })
}

func TestNoFileIsMadeInAFolderThatTookThePlaceOfOurs(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir)
	h.commit(registered(mac(1), new(netboot.Hostname)))
	state, aside := filepath.Dir(h.o.SettingsFile), filepath.Join(dir, "aside")
	if err := errors.Join(os.Rename(state, aside), os.Mkdir(state, 0o755)); err != nil {
		t.Fatal(err)
	}
	put := func(tx *Tx) error { tx.PutSettings(Settings{Retired: []netboot.Hostname{host("old")}}); return nil }
	_, err := h.Commit(t.Context(), put)
	want := "the ledger could not be written; nothing was changed (settings.json: its folder is not the one that stood at the start; is its file system mounted?)"
	if fault.Sentence(err) != want {
		t.Errorf("%v", err)
	}
	if err := errors.Join(os.RemoveAll(state), os.Rename(aside, state)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is mended", func() bool { return len(h.Faults()) == 0 })
	h.commit(put)
}

func TestATruncationAtAnyLineEndIsSeen(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir)
	h.commit(func(tx *Tx) error {
		tx.PutWorker(plainWorker("worker-01"))
		tx.PutWorker(plainWorker("worker-02"))
		tx.PutAgent(&Agent{ID: must(netboot.ParseAgentID("node-a")), BaseURL: "http://192.168.80.3:4840", Enabled: true, Tags: []string{"stgt"}})
		return nil
	})
	h.stop()
	for _, path := range []string{h.o.WorkersFile, h.o.AgentsFile} {
		whole := read(t, path)
		for i := range len(whole) - 4 {
			if whole[i] != '\n' && i > 0 {
				continue
			}
			cut := whole[:i]
			for _, text := range []string{cut, cut + "\n"} {
				write(t, path, text)
				l, err := Open(optionsIn(dir))
				if err != nil {
					t.Fatal(err)
				}
				if len(l.Faults()) != 1 {
					t.Errorf("no fault in\n%s", text)
				}
			}
		}
		write(t, path, whole)
	}
}

func TestALedgerThatIsBrokenAtStartServesTheRowsThatCanBeRead(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 4)
	path := optionsIn(dir).WorkersFile
	good := read(t, path)
	third := strings.Index(good, "  worker-03:")
	for name, text := range map[string]string{
		"syntax": good[:third] + strings.Replace(good[third:], "    disks:\n", "    disks: [\n", 1),
		"value":  good[:third] + strings.Replace(good[third:], "os: ubuntu", "os: beos", 1),
	} {
		t.Run(name, func(t *testing.T) {
			write(t, path, text)
			h := open(t, dir)
			if len(h.Faults()) != 1 || h.Faults()[0].Line == 0 {
				t.Errorf("faults: %v", h.Faults())
			}
			for w := range h.Snapshot().Workers() {
				if broken := w.Broken != ""; broken != (w.ID == id("worker-03")) {
					t.Errorf("%s: broken %q", w.ID, w.Broken)
				}
			}
			if h.Snapshot().Len() != 4 {
				t.Errorf("%d workers", h.Snapshot().Len())
			}
			write(t, path, good)
			eventually(t, "mended", func() bool { w, _ := h.Snapshot().Worker(id("worker-03")); return w.Broken == "" })
		})
	}
}

func TestAPersonsEditBetweenTwoOfOurWritesIsKept(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 3)
	h := open(t, dir, func(o *Options) { o.Poll = 1 << 40 }) // the watcher never looks
	for i := range 5 {
		text := read(t, h.o.WorkersFile)
		write(t, h.o.WorkersFile, strings.Replace(text, "workers:\n", "workers:\n  # note\n", 1))
		write(t, h.o.HostsFile, "# note\n"+read(t, h.o.HostsFile))
		h.commit(registered(mac(100+i), new(netboot.Hostname)))
		if got := strings.Count(read(t, h.o.WorkersFile), "# note"); got != i+1 {
			t.Fatalf("%d notes in workers.yml, want %d", got, i+1)
		}
		if got := strings.Count(read(t, h.o.HostsFile), "# note"); got != i+1 {
			t.Fatalf("%d notes in dhcp-hosts.conf, want %d", got, i+1)
		}
	}
	if h.Snapshot().Len() != 8 {
		t.Errorf("%d workers", h.Snapshot().Len())
	}
}

func TestAHostsFileThatWasLostBeforeTheStartIsNoEmptyOne(t *testing.T) {
	dir := t.TempDir()
	write(t, optionsIn(dir).WorkersFile, handMade)
	h := open(t, dir)
	if f := h.Faults(); len(f) != 1 || f[0].File != h.o.HostsFile || f[0].Text != "the file has vanished; put it back, or an empty one if nothing was in it" {
		t.Fatalf("faults: %v", f)
	}
	_, err := h.Commit(t.Context(), func(tx *Tx) error { tx.Bind(mac(1), tx.NextName()); return nil })
	if fault.CodeOf(err) != "ledger_unreadable" {
		t.Errorf("a known machine would be registered anew: %v", err)
	}
	unbound(t, dir)
	eventually(t, "the file is taken in", func() bool { return len(h.Faults()) == 0 })
}
