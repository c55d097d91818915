package provision

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/iscsi"
)

func TestAScriptIsMadeAgainWhenWhatItSaysHasChanged(t *testing.T) {
	h := newShaky(t, 0)
	h.file(t, "agents.yml", "agents:\n  st1: {base_url: 'http://127.0.0.1:1', token: t, iscsi_server: 10.0.0.1, role: {disk: true}, enabled: true}\n")
	h.file(t, "workers.yml", `workers:
  pc-1: {hostname: pc-1, arch: x86_64, state: ready, disks: [{agent: st1, iqn: "iqn.2026-07.com.c:pc-1.ubuntu", filename: pc-1.ubuntu.img, backing: /images/pc-1.ubuntu.img, os: ubuntu, source: {type: empty, size: 1G}}], cd: null}
`)
	h.file(t, "dhcp-hosts.conf", "52:54:00:00:00:01,pc-1\n")
	h.open(t)
	ask := func() []byte {
		return h.BootScript(context.Background(), NewAsker("52:54:00:00:00:01", "", callerFunc(func() string { return "10.0.0.9" })))
	}
	worker := func() *ledger.Worker {
		for w := range h.snapshot().Workers() {
			return w
		}
		return nil
	}
	commit := func(fn func(tx *ledger.Tx) error) func(*testing.T) {
		return func(t *testing.T) {
			if _, err := h.o.Ledger.Commit(context.Background(), fn); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name   string
		change func(*testing.T)
		want   string
	}{
		{"nothing yet", func(*testing.T) {}, "set root-ubuntu iscsi:10.0.0.1:::1:iqn.2026-07.com.c:pc-1.ubuntu\n"},
		{"its node's address", commit(func(tx *ledger.Tx) error {
			a := *tx.Agents()[0]
			host, err := iscsi.ParseHost("10.0.0.2")
			a.ISCSIServer = host
			tx.PutAgent(&a)
			return err
		}), "iscsi:10.0.0.2:::1:"},
		{"its node's backend", func(*testing.T) { h.backends.put(worker().Disks[0].Agent, "lio") }, "iscsi:10.0.0.2::::iqn"},
		{"its default system", commit(func(tx *ledger.Tx) error {
			w := worker().Clone()
			w.DefaultOS = w.Disks[0].OS
			tx.PutWorker(w)
			return nil
		}), "set menu-default ubuntu\n"},
	} {
		c.change(t)
		got := ask()
		if !strings.Contains(string(got), c.want) {
			t.Errorf("%s: %s", c.name, got)
		}
		if again := ask(); &again[0] != &got[0] {
			t.Errorf("%s: made twice", c.name)
		}
		if v := h.Boot(context.Background(), NewAsker("", "pc-1", nil)); !bytes.Equal(v.AppendScript(nil), got) {
			t.Errorf("%s: as values it is %+v", c.name, v)
		}
	}
}
