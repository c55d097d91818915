package ledger

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// changes collects what a ledger tells.
type changes struct {
	mu   sync.Mutex
	told []string
}

func (c *changes) listen(o *Options) {
	o.OnChange = func(x Change) {
		c.mu.Lock()
		defer c.mu.Unlock()
		var faults []string
		for _, f := range x.Broken {
			faults = append(faults, fmt.Sprint("broken line ", f.Line))
		}
		for range x.Mended {
			faults = append(faults, "mended")
		}
		c.told = append(c.told, fmt.Sprint(x.Workers, x.Agents, x.Settings, faults))
	}
}

func (c *changes) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	told := c.told
	c.told = nil
	return told
}

func (c *changes) want(t *testing.T, want ...string) {
	t.Helper()
	if got := c.take(); !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

func TestACommitTellsWhichRowsItChangedAndNoOthers(t *testing.T) {
	var c changes
	h := open(t, t.TempDir(), c.listen)
	h.commit(func(tx *Tx) error {
		tx.PutWorker(plainWorker("worker-10"))
		tx.PutWorker(plainWorker("worker-2"))
		tx.Bind(mac(1), host("worker-2"))
		return nil
	})
	c.want(t, "[worker-2 worker-10] [] false []")
	h.commit(func(tx *Tx) error { tx.Bind(mac(2), host("worker-10")); return nil })
	c.want(t, "[worker-10] [] false []")
	h.commit(func(tx *Tx) error { tx.Bind(mac(1), host("worker-10")); return nil })
	c.want(t, "[worker-2 worker-10] [] false []")
	on := false
	h.commit(func(tx *Tx) error { tx.PutSettings(Settings{AutoRegister: &on}); return nil })
	c.want(t, "[] [] true []")
	h.commit(func(tx *Tx) error {
		tx.PutAgent(&Agent{ID: must(netboot.ParseAgentID("st1")), BaseURL: "http://10.0.0.1:4840"})
		return nil
	})
	c.want(t, "[] [st1] false []")
	h.commit(func(tx *Tx) error {
		tx.DeleteWorker(id("worker-2"))
		tx.DeleteAgent(must(netboot.ParseAgentID("st1")))
		return nil
	})
	c.want(t, "[worker-2] [st1] false []")
	h.commit(func(tx *Tx) error { return nil })
	c.want(t)
}

func TestWhatAFailedFunctionTouchedIsNotTold(t *testing.T) {
	var c changes
	h := open(t, t.TempDir(), c.listen)
	h.together(
		func(tx *Tx) error { tx.PutWorker(plainWorker("a")); return nil },
		func(tx *Tx) error {
			tx.PutWorker(plainWorker("b"))
			tx.Bind(mac(1), host("b"))
			return fault.New(fault.Conflict, "no")
		},
	)
	c.want(t, "[a] [] false []")
}

func TestAHandEditTellsWhatItChanged(t *testing.T) {
	var c changes
	h := open(t, t.TempDir(), c.listen)
	for i, name := range []string{"a", "b", "c"} {
		h.commit(func(tx *Tx) error { tx.PutWorker(plainWorker(name)); tx.Bind(mac(i), host(name)); return nil })
	}
	h.commit(func(tx *Tx) error { tx.PutSettings(Settings{Retired: []netboot.Hostname{host("x")}}); return nil })
	c.take()
	saw := func(want string) {
		t.Helper()
		var got []string
		eventually(t, want, func() bool { got = append(got, c.take()...); return slices.Contains(got, want) })
		if len(got) != 1 {
			t.Errorf("told %q", got)
		}
	}
	swap(t, h.o.HostsFile, "52:54:00:00:00:00,a\n52:54:00:00:00:01,c\n")
	saw("[b c] [] false []")
	swap(t, h.o.AgentsFile, "agents:\n  st1: {base_url: \"http://10.0.0.1:4840\"}\n")
	saw("[] [st1] false []")
	good := read(t, h.o.WorkersFile)
	swap(t, h.o.WorkersFile, "workers:\n  a: {hostname: [\n")
	saw("[] [] false [broken line 2]")
	swap(t, h.o.WorkersFile, good)
	saw("[] [] false [mended]")
	swap(t, h.o.WorkersFile, "workers:\n  a: {hostname: a}\n")
	saw("[a b c] [] false []")
}
