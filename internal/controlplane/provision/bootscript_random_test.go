package provision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/netboot"
)

// changer is a site that is changed at random, by callers and by a person, while
// its machines boot.
type changer struct {
	*shaky
	*testing.T
	*rand.Rand
	refused atomic.Bool // what is written fails
	nodes   []netboot.AgentID
}

const machines = 4

// A kept script that outlives what it was made from would boot a machine from
// another's disk, or from where its disk was.
func TestAKeptScriptIsAlwaysWhatTheLedgersSay(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	c := &changer{shaky: bare(t), T: t, Rand: rand.New(rand.NewPCG(seed, 0))}
	t.Logf("seed %d", seed)
	for i := range 3 {
		id, err := netboot.ParseAgentID(fmt.Sprintf("st%d", i+1))
		if err != nil {
			t.Fatal(err)
		}
		c.nodes = append(c.nodes, id)
	}
	c.books = func(o *ledger.Options) {
		o.Poll = 2 * time.Millisecond
		o.May = func() error {
			if c.refused.Load() {
				return errors.New("the disk is full")
			}
			return nil
		}
	}
	c.writeWorkers()
	c.writeAgents()
	c.writeHosts()
	c.open(t)

	stop := make(chan struct{})
	var readers sync.WaitGroup
	for i := range 3 {
		readers.Go(func() {
			for n := i; ; n++ {
				select {
				case <-stop:
					return
				default:
					c.bootOne(n % machines)
				}
			}
		})
	}
	steps := 100
	if testing.Short() {
		steps = 25
	}
	for step := range steps {
		what := c.change()
		for i := range machines {
			if got, want := c.bootOne(i), c.Boot(context.Background(), c.asker(i)).AppendScript(nil); !bytes.Equal(got, want) {
				t.Errorf("step %d, %s: machine %d is told\n%s, and as values\n%s", step, what, i, got, want)
			}
		}
		if step%10 == 9 {
			c.compareWithAFreshProcess(fmt.Sprintf("step %d, %s", step, what))
		}
		if t.Failed() {
			break
		}
	}
	close(stop)
	readers.Wait()
}

func (c *changer) asker(i int) Asker {
	return NewAsker(c.mac(i).String(), "", callerFunc(func() string { return "10.0.0.9" }))
}

// bootOne boots machine i. Where nothing was changed meanwhile, what it is told
// is what a look at the ledgers gives.
func (c *changer) bootOne(i int) []byte {
	snap, known := c.snapshot(), c.backends.known.Load()
	got := c.BootScript(context.Background(), c.asker(i))
	want := nobody
	if w, _, _ := snap.ByMAC(c.mac(i)); w != nil && w.Broken == "" {
		if _, rival := snap.Rival(c.mac(i)); !rival {
			want = c.project(snap, w).AppendScript(nil)
		}
	}
	if c.snapshot() == snap && c.backends.known.Load() == known && !bytes.Equal(got, want) {
		c.Errorf("machine %d is told\n%s, want\n%s", i, got, want)
	}
	return got
}

func (c *changer) compareWithAFreshProcess(when string) {
	if len(c.o.Ledger.Faults()) > 0 {
		return // a fresh one has no last good content
	}
	fresh := &shaky{dir: c.TempDir()}
	if err := os.CopyFS(fresh.dir, os.DirFS(c.dir)); err != nil {
		c.Fatal(err)
	}
	books, err := ledger.Open(fresh.ledgerOptions())
	if err != nil {
		c.Fatal(err)
	}
	fresh.Service = New(Options{Ledger: books, Log: c.o.Log, Now: time.Now, Audit: c.o.Audit})
	fresh.backends.known.Store(c.backends.known.Load())
	for i := range machines {
		if got, want := c.bootOne(i), fresh.BootScript(context.Background(), c.asker(i)); !bytes.Equal(got, want) {
			c.Errorf("%s: machine %d is told\n%s, by a fresh process\n%s", when, i, got, want)
		}
	}
}

// change makes one, and tells which.
func (c *changer) change() string {
	all := []struct {
		name string
		make func()
	}{
		{"a row", func() { c.commit(c.changeRow) }},
		{"rows in one commit", func() { c.commit(func(tx *ledger.Tx) error { return errors.Join(c.changeRow(tx), c.changeRow(tx)) }) }},
		{"a row deleted and made anew", func() {
			c.commit(func(tx *ledger.Tx) error { c.again(tx, true); return nil })
		}},
		{"a row deleted, and made anew afterwards", func() {
			w := c.someRow(c.snapshot())
			if w == nil {
				return
			}
			c.commit(func(tx *ledger.Tx) error { tx.DeleteWorker(w.ID); return nil })
			c.commit(func(tx *ledger.Tx) error { tx.PutWorker(c.changed(w)); return nil })
		}},
		{"a node", func() { c.commit(c.changeNode) }},
		{"a node removed and added", func() {
			id := c.nodes[c.IntN(len(c.nodes))]
			a, ok := c.snapshot().Agent(id)
			if !ok {
				return
			}
			c.commit(func(tx *ledger.Tx) error { tx.DeleteAgent(id); return nil })
			c.commit(func(tx *ledger.Tx) error { tx.PutAgent(c.changedNode(a)); return nil })
		}},
		{"a binding", func() {
			c.commit(func(tx *ledger.Tx) error {
				if c.IntN(3) == 0 {
					tx.Unbind(c.host(c.IntN(machines)))
				} else {
					tx.Bind(c.mac(c.IntN(machines)), c.host(c.IntN(machines)))
				}
				return nil
			})
		}},
		{"a learned backend", func() {
			c.backends.put(c.nodes[c.IntN(len(c.nodes))], []string{"stgt", "lio"}[c.IntN(2)])
		}},
		{"changes that fail", func() {
			c.refused.Store(true)
			c.commit(func(tx *ledger.Tx) error { return errors.Join(c.changeRow(tx), c.changeNode(tx)) })
			c.commit(func(tx *ledger.Tx) error { c.again(tx, true); return nil })
			c.refused.Store(false)
		}},
		{"changes that are given up", func() {
			c.commit(func(tx *ledger.Tx) error {
				_, _ = c.changeRow(tx), c.changeNode(tx)
				c.again(tx, c.IntN(2) == 0)
				return errors.New("given up")
			})
		}},
		{"workers.yml by hand", func() { c.writeWorkers() }},
		{"agents.yml by hand", func() { c.writeAgents() }},
		{"dhcp-hosts.conf by hand", func() { c.writeHosts() }},
		{"a file broken by hand and mended", func() {
			name := []string{"workers.yml", "agents.yml", "dhcp-hosts.conf"}[c.IntN(3)]
			good, err := os.ReadFile(filepath.Join(c.dir, name))
			if err != nil {
				c.Fatal(err)
			}
			c.file(c.T, name, string(good[:len(good)/2])+"\n  - {broken\x00")
			c.settle()
			c.bootOne(c.IntN(machines))
			c.file(c.T, name, string(good))
		}},
	}
	x := all[c.IntN(len(all))]
	x.make()
	c.settle()
	return x.name
}

// settle has what a person wrote taken in, as each commit does.
func (c *changer) settle() {
	for range 2 {
		c.commit(func(*ledger.Tx) error { return nil })
	}
}

func (c *changer) commit(fn func(tx *ledger.Tx) error) {
	_, _ = c.o.Ledger.Commit(context.Background(), fn) // some are to fail
}

func (c *changer) someRow(from interface {
	Worker(netboot.WorkerID) (*ledger.Worker, bool)
}) *ledger.Worker {
	w, _ := from.Worker(workerID(c.T, c.IntN(machines)))
	return w
}

func (c *changer) changeRow(tx *ledger.Tx) error {
	if w := c.someRow(tx); w != nil && w.Broken == "" {
		tx.PutWorker(c.changed(w))
	}
	return nil
}

// again deletes a row, and adds another under its id.
func (c *changer) again(tx *ledger.Tx, changed bool) {
	w := c.someRow(tx)
	if w == nil || w.Broken != "" {
		return
	}
	tx.DeleteWorker(w.ID)
	if changed {
		w = c.changed(w)
	}
	tx.PutWorker(w)
}

func (c *changer) changed(w *ledger.Worker) *ledger.Worker {
	w = w.Clone()
	systems := netboot.Systems()
	switch c.IntN(6) {
	case 0:
		w.DefaultOS = netboot.OS{}
		if len(w.Disks) > 0 {
			w.DefaultOS = w.Disks[c.IntN(len(w.Disks))].OS
		}
	case 1:
		w.Boot.MenuDefault = netboot.MenuItems()[c.IntN(len(netboot.MenuItems()))]
	case 2:
		n := c.IntN(9000)
		w.Boot.MenuTimeout = &n
	case 3:
		w.Disks, w.DefaultOS = nil, netboot.OS{}
	case 4:
		os := systems[c.IntN(len(systems))]
		if _, had := w.Disk(os); !had {
			iqn, err := iscsi.ParseIQN(fmt.Sprintf("iqn.2026-07.com.c:%s.%s", w.ID, os))
			if err != nil {
				c.Fatal(err)
			}
			w.Disks = append(w.Disks, ledger.Disk{Agent: c.nodes[c.IntN(len(c.nodes))], IQN: iqn, OS: os})
		}
	case 5:
		if len(w.Disks) > 0 {
			w.Disks[c.IntN(len(w.Disks))].Agent = c.nodes[c.IntN(len(c.nodes))]
		}
	}
	w.Settle()
	return w
}

func (c *changer) changeNode(tx *ledger.Tx) error {
	id := c.nodes[c.IntN(len(c.nodes))]
	if a, ok := tx.Agent(id); !ok {
		return nil
	} else if c.IntN(4) == 0 {
		tx.DeleteAgent(id)
	} else {
		tx.PutAgent(c.changedNode(a))
	}
	return nil
}

func (c *changer) changedNode(a *ledger.Agent) *ledger.Agent {
	n := *a
	host, err := iscsi.ParseHost(fmt.Sprintf("10.0.0.%d", 1+c.IntN(3)))
	if err != nil {
		c.Fatal(err)
	}
	n.ISCSIServer, n.Tags, n.Enabled = host, [][]string{nil, {"stgt"}, {"lio"}}[c.IntN(3)], c.IntN(2) == 0
	return &n
}

func (c *changer) mac(i int) netboot.MAC { return netboot.MAC{0x52, 0x54, 0, 0, 0, byte(i)} }

func (c *changer) host(i int) netboot.Hostname {
	h, err := netboot.ParseHostname(fmt.Sprintf("host-%d", i))
	if err != nil {
		c.Fatal(err)
	}
	return h
}

// What a person writes.

func (c *changer) writeWorkers() {
	rows := "workers:\n"
	names := c.Perm(machines)
	for i := range machines {
		if c.IntN(6) == 0 {
			continue
		}
		rows += fmt.Sprintf("  pc-%d:\n    hostname: host-%d\n    disks:\n", i, names[i])
		for _, os := range []string{"ubuntu", "windows"} {
			if c.IntN(3) > 0 {
				rows += fmt.Sprintf("    - {agent: st%d, iqn: 'iqn.2026-07.com.c:pc-%d.%s', os: %s}\n", 1+c.IntN(3), i, os, os)
			}
		}
		if !strings.HasSuffix(rows, "disks:\n") && c.IntN(2) == 0 {
			rows += fmt.Sprintf("    boot: {menu_default: reboot, menu_timeout: %d}\n", c.IntN(9000))
		}
	}
	if !strings.Contains(rows, "pc-") {
		rows = "workers: {}\n"
	}
	c.save("workers.yml", rows)
}

func (c *changer) writeAgents() {
	rows := "agents:\n"
	for i := range c.nodes {
		if i == 0 || c.IntN(4) > 0 {
			rows += fmt.Sprintf("  st%d: {base_url: 'http://127.0.0.1:1', token: t, iscsi_server: 10.0.0.%d, role: {disk: true}, enabled: true, tags: [%s]}\n",
				i+1, 1+c.IntN(3), []string{"", "stgt", "lio"}[c.IntN(3)])
		}
	}
	c.save("agents.yml", rows)
}

func (c *changer) writeHosts() {
	rows := ""
	names := c.Perm(machines)
	for i := range machines {
		if i == 0 || c.IntN(5) > 0 {
			rows += fmt.Sprintf("%s,host-%d\n", c.mac(i), names[i])
		}
	}
	if c.IntN(4) == 0 {
		rows += fmt.Sprintf("%s,host-%d\n", c.mac(c.IntN(machines)), c.IntN(machines)) // of two lines the first counts
	}
	c.save("dhcp-hosts.conf", rows)
}

// save is what an editor does: in place, or by a rename.
func (c *changer) save(name, content string) {
	if c.IntN(2) == 0 {
		c.file(c.T, name, content)
		return
	}
	c.file(c.T, name+".new", content)
	if err := os.Rename(filepath.Join(c.dir, name+".new"), filepath.Join(c.dir, name)); err != nil {
		c.Fatal(err)
	}
}
