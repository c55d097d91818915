package ledger

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
	"ipxe-all-ready/internal/secret"
)

// failing opens a house whose next writes of the named files fail with err.
func failing(t *testing.T, dir string, err error, names ...string) (h *house, arm func(bool)) {
	t.Helper()
	armed := make(chan bool, 1)
	armed <- false
	fails := func(path string) bool {
		on := <-armed
		armed <- on
		for _, n := range names {
			if on && filepath.Base(path) == n {
				return true
			}
		}
		return false
	}
	h = open(t, dir)
	whole := *osDisk()
	d := &disk{
		replace: func(path string, perm fs.FileMode, content func(io.Writer) error, check func() error) (fs.FileInfo, error) {
			if fails(path) {
				return nil, &fs.PathError{Op: "write", Path: path, Err: err}
			}
			return whole.replace(path, perm, content, check)
		},
		rewrite: func(path, journal string, old, new []byte) (fs.FileInfo, error) {
			if fails(path) {
				return nil, &fs.PathError{Op: "write", Path: path, Err: err}
			}
			return whole.rewrite(path, journal, old, new)
		},
	}
	h.commit(func(tx *Tx) error { // in the committer: nobody else may touch the book
		for _, s := range tx.b.files.all() {
			s.disk = d
		}
		return nil
	})
	return h, func(on bool) { <-armed; armed <- on }
}

func TestAFailedWriteUndoesEverythingAndSaysSo(t *testing.T) {
	for _, c := range []struct {
		name, file string
		err        error
		kind       fault.Kind
		sentence   string
	}{
		{"workers full", "workers.yml", syscall.ENOSPC, fault.NoSpace, "the ledger could not be written; nothing was changed (workers.yml: no space left on device)"},
		{"hosts full", "dhcp-hosts.conf", syscall.ENOSPC, fault.NoSpace, "the ledger could not be written; nothing was changed (dhcp-hosts.conf: no space left on device)"},
		{"settings bad", "settings.json", syscall.EIO, fault.Unavailable, "the ledger could not be written; nothing was changed (settings.json: input/output error)"},
		{"agents bad", "agents.yml", syscall.EIO, fault.Unavailable, "the ledger could not be written; nothing was changed (agents.yml: input/output error)"},
		{"workers read-only", "workers.yml", syscall.EROFS, fault.Unavailable, "the ledger could not be written; nothing was changed (workers.yml: read-only file system)"},
		{"hosts forbidden", "dhcp-hosts.conf", syscall.EACCES, fault.Unavailable, "the ledger could not be written; nothing was changed (dhcp-hosts.conf: permission denied)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			fill(t, dir, 3)
			h, arm := failing(t, dir, c.err, c.file)
			h.commit(func(tx *Tx) error { tx.PutSettings(Settings{Retired: []netboot.Hostname{host("old")}}); return nil })
			before := []string{read(t, h.o.WorkersFile), read(t, h.o.HostsFile), read(t, h.o.SettingsFile)}
			change := func(tx *Tx) error {
				tx.PutSettings(Settings{Retired: []netboot.Hostname{host("worker-02")}})
				tx.DeleteWorker(id("worker-02"))
				tx.Unbind(host("worker-02"))
				tx.PutAgent(&Agent{ID: must(netboot.ParseAgentID("node-a")), BaseURL: "http://a:1"})
				return registered(mac(50), new(netboot.Hostname))(tx)
			}
			refused := errors.New("refused")
			arm(true)
			errs := h.together(change, func(*Tx) error { return refused }, func(*Tx) error { return nil })
			if !fault.Is(errs[0], c.kind) || fault.Sentence(errs[0]) != c.sentence || !errors.Is(errs[0], c.err) {
				t.Errorf("err = %v", errs[0])
			}
			if !errors.Is(errs[1], refused) || errs[2] != nil {
				t.Errorf("bystanders: %v", errs[1:])
			}
			for i, path := range []string{h.o.WorkersFile, h.o.HostsFile, h.o.SettingsFile} {
				if got := read(t, path); got != before[i] {
					t.Errorf("%s is %q, want %q", path, got, before[i])
				}
			}
			if _, ok := h.Snapshot().Binding(mac(50)); ok || h.Snapshot().Len() != 3 || len(h.Snapshot().Agents()) != 0 {
				t.Error("the snapshot changed")
			}
			arm(false)
			h.commit(change)
			if _, ok := h.Snapshot().Binding(mac(50)); !ok || h.Snapshot().Len() != 3 {
				t.Error("the next try did not succeed")
			}
			h.stop()
			if again := open(t, dir); len(again.Faults()) != 0 || again.Snapshot().Len() != 3 || len(again.Snapshot().Agents()) != 1 {
				t.Errorf("read back: %v", again.Faults())
			}
		})
	}
}

func TestABindingStandsBeforeItsWorkerAndGoesAfterIt(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 2)
	h := open(t, dir)
	var seen []string
	whole := *osDisk()
	d := &disk{
		replace: func(path string, perm fs.FileMode, content func(io.Writer) error, check func() error) (fs.FileInfo, error) {
			hosts, _ := os.ReadFile(h.o.HostsFile)
			seen = append(seen, filepath.Base(path)+": "+strings.ReplaceAll(string(hosts), "\n", " "))
			return whole.replace(path, perm, content, check)
		},
		rewrite: whole.rewrite,
	}
	inode := stampOf(h.o.HostsFile).ino
	h.commit(func(tx *Tx) error {
		for _, s := range tx.b.files.all() {
			s.disk = d
		}
		tx.PutSettings(Settings{Retired: []netboot.Hostname{host("worker-02")}})
		tx.DeleteWorker(id("worker-02"))
		tx.Unbind(host("worker-02"))
		return registered(mac(3), new(netboot.Hostname))(tx)
	})
	want := []string{
		"settings.json: 52:54:00:00:00:01,worker-01 52:54:00:00:00:02,worker-02 ",
		"workers.yml: 52:54:00:00:00:01,worker-01 52:54:00:00:00:02,worker-02 52:54:00:00:00:03,worker-03 ",
	}
	if len(seen) != 2 || seen[0] != want[0] || seen[1] != want[1] {
		t.Errorf("order: %q, want %q", seen, want)
	}
	if got, want := read(t, h.o.HostsFile), "52:54:00:00:00:01,worker-01\n52:54:00:00:00:03,worker-03\n"; got != want {
		t.Errorf("hosts: %q, want %q", got, want)
	}
	if stampOf(h.o.HostsFile).ino != inode {
		t.Error("dhcp-hosts.conf has another inode")
	}
}

func TestAReloadThatFailsOrHangsHoldsUpNobodyAndIsTriedAgain(t *testing.T) {
	broken := errors.New("no dnsmasq")
	answers := make(chan error, 16)
	told := make(chan error, 16)
	h := open(t, t.TempDir(), func(o *Options) {
		o.Reload = func(context.Context) error { return <-answers }
		o.OnReload = func(err error) { told <- err }
	})
	answers <- nil // at start
	<-told
	answers <- broken
	if r := h.commit(registered(mac(1), new(netboot.Hostname))); r.Reloaded == nil || *r.Reloaded {
		t.Errorf("Reloaded = %v", r.Reloaded)
	}
	if err := <-told; !errors.Is(err, broken) {
		t.Errorf("told %v", err)
	}
	answers <- nil // the retry
	if err := <-told; err != nil {
		t.Errorf("retry told %v", err)
	}
	// Nobody answers now: the reload hangs, the write does not.
	if r := h.commit(registered(mac(2), new(netboot.Hostname))); r.Reloaded == nil || *r.Reloaded {
		t.Errorf("Reloaded = %v", r.Reloaded)
	}
	if _, ok := h.Snapshot().Binding(mac(2)); !ok {
		t.Error("the binding is not there")
	}
	close(answers)
}

func TestAgentTokensAreExpandedAndWrittenBackAsTheyStood(t *testing.T) {
	dir := t.TempDir()
	o := optionsIn(dir)
	write(t, o.AgentsFile, "agents:\n  node-a:\n    base_url: http://192.168.80.3:4840/\n    token: ${NODE_TOKEN}\n    rack: 7\n")
	h := open(t, dir)
	a, ok := h.Snapshot().Agent(must(netboot.ParseAgentID("node-a")))
	if !ok || a.Token.Reveal() != "s3cret" || a.BaseURL != "http://192.168.80.3:4840" || a.ISCSIServer.String() != "192.168.80.3" || !a.Enabled || a.RoleDisk {
		t.Fatalf("agent: %+v, faults %v", a, h.Faults())
	}
	h.commit(func(tx *Tx) error {
		c := *a
		c.RoleDisk, c.Tags = true, []string{"storage", "stgt"}
		tx.PutAgent(&c)
		return nil
	})
	want := "schema: 1\nagents:\n  node-a:\n    base_url: http://192.168.80.3:4840\n    token: ${NODE_TOKEN}\n    rack: 7\n    role:\n      disk: true\n      cd: false\n    tags:\n      - storage\n      - stgt\n    enabled: true\n...\n"
	if got := read(t, h.o.AgentsFile); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	h.commit(func(tx *Tx) error {
		c := *a
		c.Token = secret.New("x${NODE_TOKEN}") // came over the API: no way to our environment
		tx.PutAgent(&c)
		return nil
	})
	h.stop()
	if a, _ := open(t, dir).Snapshot().Agent(a.ID); a.Token.Reveal() != "x${NODE_TOKEN}" {
		t.Errorf("the token is %s", a.Token.Reveal())
	}
}

func TestLastBootsSurviveARestart(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 2)
	h := open(t, dir)
	at := plainWorker("x").CreatedAt
	h.MarkBoot(h.worker("worker-02"), at)
	h.stop()
	again := open(t, dir)
	if got, ok := again.Snapshot().LastBoot(id("worker-02")); !ok || !got.Equal(at) {
		t.Errorf("last boot: %v %v", got, ok)
	}
	if _, ok := again.Snapshot().LastBoot(id("worker-01")); ok {
		t.Error("worker-01 never booted")
	}
}
