package ledger

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/netboot"
)

// house is a ledger on real files.
type house struct {
	*Ledger
	t       testing.TB
	o       Options
	stop    func()
	reloads atomic.Int64
}

func optionsIn(dir string) Options {
	return Options{
		WorkersFile: filepath.Join(dir, "state/workers.yml"), AgentsFile: filepath.Join(dir, "config/agents.yml"),
		SettingsFile: filepath.Join(dir, "state/settings.json"), HostsFile: filepath.Join(dir, "dnsmasq/dhcp-hosts.conf"),
		BootsFile: filepath.Join(dir, "state/boots.json"), Poll: 5 * time.Millisecond,
		Getenv: func(name string) string { return map[string]string{"NODE_TOKEN": "s3cret"}[name] },
	}
}

// open starts a ledger in dir; change may set further options.
func open(t testing.TB, dir string, change ...func(*Options)) *house {
	t.Helper()
	h := &house{t: t, o: optionsIn(dir)}
	h.o.Reload = func(context.Context) error { h.reloads.Add(1); return nil }
	for _, c := range change {
		c(&h.o)
	}
	l, err := Open(h.o)
	if err != nil {
		t.Fatal(err)
	}
	h.Ledger = l
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := l.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	h.stop = func() { cancel(); <-done }
	t.Cleanup(func() { h.stop(); h.machinesAgree() })
	return h
}

// together commits fns as one group, in their order.
func (h *house) together(fns ...func(*Tx) error) []error {
	h.t.Helper()
	errs := make([]error, len(fns))
	calls := make([]func(), len(fns))
	for i, fn := range fns {
		calls[i] = func() { _, errs[i] = h.Commit(context.Background(), fn) }
	}
	h.asOneGroup(calls...)()
	return errs
}

// asOneGroup lets calls, of one commit each, meet in one group in their order,
// and returns what waits for them to come back.
func (h *house) asOneGroup(calls ...func()) (wait func()) {
	h.t.Helper()
	gate, held := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { h.Commit(context.Background(), func(*Tx) error { close(held); <-gate; return nil }) })
	<-held
	for i, call := range calls {
		wg.Go(call)
		eventually(h.t, "queued", func() bool { h.mu.Lock(); defer h.mu.Unlock(); return len(h.waiting) == i+1 })
	}
	close(gate)
	return wg.Wait
}

func (h *house) commit(fn func(*Tx) error) Receipt {
	h.t.Helper()
	r, err := h.Commit(context.Background(), fn)
	if err != nil {
		h.t.Fatalf("commit: %v", err)
	}
	h.machinesAgree()
	return r
}

// machinesAgree holds the short way from an address to its worker against the
// long one, in every test that commits or ends.
func (h *house) machinesAgree() {
	h.t.Helper()
	if _, bench := h.t.(*testing.B); bench {
		return
	}
	s := h.Snapshot()
	for m, w := range s.machines.all() {
		if got, host, ok := s.ByMAC(m); !ok || got != w {
			h.t.Errorf("%s leads straight to %s, and by its name %s to %v", m, w.ID, host, got)
		}
	}
	for host, m := range s.macOf.all() {
		if w, _, ok := s.ByMAC(m); ok && w != nil && w.Hostname == host {
			if _, ok := s.Machine(m); !ok {
				h.t.Errorf("%s leads not straight to %s", m, w.ID)
			}
		}
	}
}

// read is the whole of a file.
func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// write is what an editor does: truncate and write in place.
// unbound makes the empty hosts file of a site whose workers have no MAC yet.
func unbound(t testing.TB, dir string) { write(t, optionsIn(dir).HostsFile, "") }

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// swap is what an editor does that renames: no look finds half of it.
func swap(t testing.TB, path, content string) {
	t.Helper()
	write(t, path+".new", content)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// eventually waits for what the watcher brings about.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); {
		if time.Now().After(end) {
			t.Fatalf("never came true: %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// worker is one that must be there.
func (h *house) worker(name string) *Worker {
	h.t.Helper()
	w, ok := h.Snapshot().Worker(id(name))
	if !ok {
		h.t.Fatalf("there is no %s", name)
	}
	return w
}

func id(s string) netboot.WorkerID   { return must(netboot.ParseWorkerID(s)) }
func host(s string) netboot.Hostname { return must(netboot.ParseHostname(s)) }

// mac is the n-th address.
func mac(n int) netboot.MAC {
	return netboot.MAC{0x52, 0x54, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
}

// plainWorker has one disk, as most have.
func plainWorker(name string) *Worker {
	return &Worker{
		ID: id(name), Hostname: host(name), Arch: "x86_64", State: Ready,
		CreatedAt: time.Date(2026, 7, 1, 10, 0, 0, 0, time.UTC),
		DefaultOS: must(netboot.ParseOS("ubuntu")),
		Disks: []Disk{{
			Agent: must(netboot.ParseAgentID("node-a")), IQN: must(iscsi.ParseIQN("iqn.2026-07.com.controller:" + name + ".ubuntu")),
			Filename: must(image.ParseDisk(name + ".ubuntu.img")), Backing: "/srv/images/" + name + ".ubuntu.img",
			OS: must(netboot.ParseOS("ubuntu")), Source: Source{Type: "master", Name: "ubuntu_tpl_24.img"},
		}},
	}
}

// registered is what zero-touch registration commits.
func registered(m netboot.MAC, name *netboot.Hostname) func(*Tx) error {
	return func(tx *Tx) error {
		h := tx.NextName()
		*name = h
		tx.Bind(m, h)
		tx.PutWorker(&Worker{ID: id(h.String()), Hostname: h, Arch: "x86_64", State: Registered})
		return nil
	}
}

// fill writes ledgers of n workers as an earlier run would have left them.
func fill(t testing.TB, dir string, n int) {
	t.Helper()
	o := optionsIn(dir)
	s := newSheet("workers")
	var hosts strings.Builder
	for i := 1; i <= n; i++ {
		w := plainWorker(fmt.Sprintf("worker-%02d", i))
		text, err := s.rowText(w.ID.String(), workerFields(w))
		if err != nil {
			t.Fatal(err)
		}
		s.put(w.ID.String(), text)
		fmt.Fprintf(&hosts, "%s,%s\n", mac(i), w.Hostname)
	}
	var b strings.Builder
	if err := s.writeTo(&b); err != nil {
		t.Fatal(err)
	}
	write(t, o.WorkersFile, b.String())
	write(t, o.HostsFile, hosts.String())
}
