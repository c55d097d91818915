package provision

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/controlplane/nodetest"
	"ipxe-all-ready/internal/controlplane/task"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// faulty is a node whose client panics where a test wants it to.
type faulty struct {
	*client.Agent
	create, remove func(iqn string)
	asked          func(what string)
}

func (f faulty) Capabilities(ctx context.Context) (api.Capabilities, error) {
	f.asked("capabilities")
	return f.Agent.Capabilities(ctx)
}

func (f faulty) Targets(ctx context.Context) ([]api.Target, error) {
	f.asked("targets")
	return f.Agent.Targets(ctx)
}

func (f faulty) Masters(ctx context.Context) (api.Masters, error) {
	f.asked("masters")
	return f.Agent.Masters(ctx)
}

func (f faulty) CreateDiskAsync(ctx context.Context, in api.CreateLUN) (api.LUNCreated, string, error) {
	f.create(in.IQN)
	return f.Agent.CreateDiskAsync(ctx, in)
}

func (f faulty) DeleteLUN(ctx context.Context, iqn string, deleteFile, force bool) error {
	f.remove(iqn)
	return f.Agent.DeleteLUN(ctx, iqn, deleteFile, force)
}

// shaky is a service with workers pc-1 to pc-n and one node, st1.
type shaky struct {
	*Service
	node           *nodetest.Node
	dir            string
	create, remove func(iqn string) // before the node is asked
	asked          func(what string)
	logged         func(slog.Record)
	books          func(*ledger.Options) // nil: as they are
}

func newShaky(t *testing.T, workers int) *shaky {
	t.Helper()
	h := bare(t)
	h.file(t, "agents.yml", fmt.Sprintf("agents:\n  st1: {base_url: %q, token: %q, role: {disk: true}, tags: [stgt], enabled: true}\n", h.node.URL, h.node.Token))
	rows := "workers:\n"
	for i := range workers {
		rows += fmt.Sprintf("  pc-%d: {hostname: pc-%d, arch: x86_64, state: registered, disks: []}\n", i+1, i+1)
	}
	h.file(t, "workers.yml", rows)
	h.file(t, "dhcp-hosts.conf", "")
	h.open(t)
	return h
}

// bare has no files yet and is not open.
func bare(t *testing.T) *shaky {
	return &shaky{node: nodetest.Start(t), dir: t.TempDir(), create: func(string) {}, remove: func(string) {}, asked: func(string) {}, logged: func(slog.Record) {}}
}

func (h *shaky) open(t *testing.T) {
	t.Helper()
	log := slog.New(h)
	trail := audit.Open(filepath.Join(h.dir, "operations.jsonl"), audit.Options{})
	books, err := ledger.Open(h.ledgerOptions())
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := task.Open(filepath.Join(h.dir, "tasks.json"), task.Options{Log: log})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = books.Run(ctx) }) // it ends with ctx alone
	t.Cleanup(func() { tasks.Stop(); stop(); running.Wait(); _ = trail.Close() })
	h.Service = New(Options{Ledger: books, Audit: trail, Log: log, Now: time.Now, Tasks: tasks, AgentParallel: 2,
		AgentTimeout: 20 * time.Second, CloneTimeout: 20 * time.Second,
		Dial:   func(a *ledger.Agent) Agent { return h.client(a) },
		Folder: func(a *ledger.Agent) Folder { return h.client(a) },
		Copies: func(a *ledger.Agent) Copier { return h.client(a) }})
}

func (h *shaky) ledgerOptions() ledger.Options {
	at := func(name string) string { return filepath.Join(h.dir, name) }
	o := ledger.Options{WorkersFile: at("workers.yml"), AgentsFile: at("agents.yml"), SettingsFile: at("settings.json"), HostsFile: at("dhcp-hosts.conf")}
	if h.books != nil {
		h.books(&o)
	}
	return o
}

func (h *shaky) client(a *ledger.Agent) faulty {
	return faulty{client.NewAgent(client.AgentOptions{ID: a.ID.String(), BaseURL: a.BaseURL, Token: a.Token,
		Timeout: 20 * time.Second, HTTP: client.NewHTTP(20 * time.Second)}), h.create, h.remove, h.asked}
}

func (h *shaky) file(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The log, which a test may let panic.
func (h *shaky) Enabled(context.Context, slog.Level) bool      { return true }
func (h *shaky) Handle(_ context.Context, r slog.Record) error { h.logged(r); return nil }
func (h *shaky) WithAttrs([]slog.Attr) slog.Handler            { return h }
func (h *shaky) WithGroup(string) slog.Handler                 { return h }

func panicAt(name string) func(string) { return func(iqn string) { mustNotHold(iqn, name) } }

func mustNotHold(s, part string) {
	if strings.Contains(s, part) {
		panic("at " + s)
	}
}

func workerID(t *testing.T, i int) netboot.WorkerID {
	t.Helper()
	id, err := netboot.ParseWorkerID(fmt.Sprintf("pc-%d", i))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func newDisk(t *testing.T, i int) NewDisk {
	t.Helper()
	agent, err := netboot.ParseAgentID("st1")
	if err != nil {
		t.Fatal(err)
	}
	os, err := netboot.ParseOS("ubuntu")
	if err != nil {
		t.Fatal(err)
	}
	return NewDisk{Worker: workerID(t, i), OS: os, Size: "1G", Agent: agent}
}

// makeDisks is a batch of one disk for each of n workers.
func (h *shaky) makeDisks(t *testing.T, n int) []*DiskItem {
	t.Helper()
	var asked []*DiskItem
	for i := range n {
		d := newDisk(t, i+1)
		asked = append(asked, &DiskItem{Asked: api.BatchTarget{WorkerID: d.Worker.String(), Agent: "st1"}, NewDisk: d})
	}
	j, err := h.StartDisks(asked)
	if err != nil {
		t.Fatal(err)
	}
	return j.Wait()
}

// outcomes is what the items came to.
func outcomes[T any](items []T, err func(T) error) string {
	var out []string
	for _, it := range items {
		if e := err(it); e != nil {
			out = append(out, fault.Sentence(e))
		} else {
			out = append(out, "ok")
		}
	}
	return strings.Join(out, ", ")
}

func diskErr(it *DiskItem) error     { return it.Err }
func workerErr(it *WorkerItem) error { return it.Err }

// free fails the test when something of the workers is still reserved.
func (h *shaky) free(t *testing.T, workers int) {
	t.Helper()
	for i := range workers {
		if h.busy.any(workerID(t, i+1)) {
			t.Errorf("pc-%d is still reserved", i+1)
		}
	}
}
