package agent

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/agent/export"
	"ipxe-all-ready/internal/agent/metrics"
	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/secret"
)

// copier is a node that makes full copies, one at a time, with its client.
type copier struct {
	*node
	*client.Agent
	agent *Agent
	free  func() // ends the copy that holds the one slot
}

// newCopier lies on tmpfs, which shares no blocks. A copy that is held half-way
// takes the only slot.
func newCopier(t *testing.T) copier {
	t.Helper()
	c := newIdleCopier(t, fake.New())
	c.Agent = client.NewAgent(client.AgentOptions{
		ID: "st1", BaseURL: c.url, Token: secret.New(token), Timeout: 20 * time.Second, Clone: 20 * time.Second, HTTP: client.NewHTTP(20 * time.Second),
	})
	c.putMaster(t, "u_tpl_1.img")
	c.hold(t, "u_tpl_1.img")
	return c
}

// newIdleCopier is one that copies nothing yet.
func newIdleCopier(t *testing.T, b *fake.Backend) copier {
	t.Helper()
	o := options(t)
	dir, err := os.MkdirTemp("/dev/shm", "images")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	o.DiskDir, o.CloneWorkers = dir, 1
	a, err := assemble(o, quiet(), b, metrics.New())
	if err != nil {
		t.Fatal(err)
	}
	return copier{node: &node{url: run(t, a), dir: dir, backend: b}, agent: a}
}

// putMaster lays a golden image of 4 MiB into the folder.
func (c *copier) putMaster(t *testing.T, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), bytes.Repeat([]byte("data"), 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
}

// hold begins a copy in the agent's own process and keeps it from ending.
func (c *copier) hold(t *testing.T, master string) {
	t.Helper()
	q, e1 := iscsi.ParseIQN(base + ":held")
	m, e2 := image.ParseMaster(master)
	if e1 != nil || e2 != nil {
		t.Fatal(e1, e2)
	}
	held, gate, done := make(chan struct{}, 1), make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := c.agent.export.CreateDisk(context.WithoutCancel(t.Context()), export.Disk{IQN: q, Master: m}, func(s store.Step) {
			if s.Done == s.Total {
				return
			}
			select {
			case held <- struct{}{}:
			default:
			}
			<-gate
		})
		done <- err
	}()
	<-held
	freed := false
	c.free = func() {
		if freed {
			return
		}
		freed = true
		close(gate)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(c.free)
}

// begin asks for a clone as a task.
func (c copier) begin(t *testing.T, suffix string) (id string) {
	t.Helper()
	made, id, err := c.CreateDiskAsync(t.Context(), api.CreateLUN{IQN: base + ":" + suffix, Master: "u_tpl_1.img"})
	if err != nil || id == "" || made.Backing != "" {
		t.Fatalf("%+v %q %v", made, id, err)
	}
	return id
}

// becomes waits until the task is in a state.
func (c copier) becomes(t *testing.T, id, state string) (got api.AgentTask) {
	t.Helper()
	until(t, id+" is "+state, func() bool {
		var err error
		if got, err = c.Task(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		return got.State == state
	})
	return got
}

func (c copier) holds(t *testing.T, want string) {
	t.Helper()
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".ipxe-agent") {
			names = append(names, e.Name())
		}
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
}

// lastLogged looks at the last disk: the first scan may be logged at any time.
func (c copier) lastLogged(t *testing.T, want string) {
	t.Helper()
	var last []byte
	for _, e := range get[api.Operations](t, c.node, "/logs").Entries {
		if bytes.Contains(e, []byte(`"op":"disk"`)) {
			last = e
		}
	}
	if !bytes.HasSuffix(last, []byte(want)) {
		t.Errorf("logged %s\nwant …%s", last, want)
	}
}
