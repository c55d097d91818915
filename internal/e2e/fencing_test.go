//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/site"
)

// Within this a second machine must be known: 20 s in which a dead one may
// linger, the node's and the control plane's pauses, and a loaded host.
const alarm = 90 * time.Second

// TestTwoMachinesOnOneDisk lets two initiators that answer as machines do use
// one disk of a real tgtd, from two addresses.
func TestTwoMachinesOnOneDisk(t *testing.T) {
	p := startSite(t)
	node, disk := p.Nodes[0], site.IQNBase+":pc-01.ubuntu"
	own, err := p.AddHost("own", netip.MustParseAddr("192.168.80.61"))
	must(t, err)
	other, err := p.AddHost("other", netip.MustParseAddr("192.168.80.62"))
	must(t, err)
	uses := func(h *lab.Host, initiator string) *lab.Process {
		t.Helper()
		image := fmt.Sprintf("driver=iscsi,transport=tcp,portal=%s:3260,target=%s,lun=1,initiator-name=%s:%s", node.Host.Addr, disk, site.IQNBase, initiator)
		run, err := h.Start("disk-of-"+initiator, nil, "qemu-nbd", "-t", "-k", p.Path(initiator+".sock"), "--image-opts", image)
		must(t, err)
		return run
	}
	p.call(t, "POST", "/workers", `{"worker_id":"pc-01","mac":"52:54:00:00:00:61"}`, nil)
	p.call(t, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"16M","disk_agent":"node-1"}`, nil)
	first := uses(own, "pc-01")
	session(t, node, disk, site.IQNBase+":pc-01")

	part(t, "open, the second one gets in, and is a finding and an event", func(t *testing.T) {
		second := uses(other, "evil")
		session(t, node, disk, site.IQNBase+":evil")
		f := p.finding(t, "two_initiators:node-1:"+disk, true)
		for _, words := range []string{"pc-01 from 192.168.80.61", "evil from 192.168.80.62", "more than one machine"} {
			if !strings.Contains(f.Detail, words) {
				t.Errorf("%q does not say %q", f.Detail, words)
			}
		}
		p.inTrail(t, "disk.second_initiator", "192.168.80.62")
		must(t, second.Stop())
		p.finding(t, "two_initiators:node-1:"+disk, false)
	})

	part(t, "closed, the second one is refused and told, and the first goes on", func(t *testing.T) {
		node.Env = []string{"IPXE_ACL=initiator"}
		must(t, node.Agent.Stop())
		must(t, node.StartAgent())
		must(t, lab.Poll(lab.Patience, func() error {
			second := uses(other, "evil")
			select {
			case <-second.Done():
				return nil
			case <-time.After(2 * time.Second):
				must(t, second.Stop())
				return fmt.Errorf("the stranger got in")
			}
		}))
		f := p.finding(t, "refused_initiator:node-1:"+disk+":"+site.IQNBase+":evil:192.168.80.62", true)
		t.Log(f.Detail)
		p.inTrail(t, "disk.refused_initiator", "192.168.80.62")
		session(t, node, disk, site.IQNBase+":pc-01")
		if how, ended := first.Exited(); ended {
			t.Errorf("the first machine lost its disk: %s", how)
		}
	})
}

// finding waits until there is one of that id, or none.
func (p *proof) finding(t *testing.T, id string, want bool) (found api.Finding) {
	t.Helper()
	start := time.Now()
	must(t, lab.Poll(alarm, func() error {
		var out api.Reconcile
		if err := p.Call("GET", "/reconcile", nil, &out); err != nil {
			return err
		}
		has := false
		for _, f := range out.Findings {
			if f.ID == id {
				found, has = f, true
			}
		}
		if has != want {
			return fmt.Errorf("finding %s there: %t, findings %+v", id, has, out.Findings)
		}
		return nil
	}))
	t.Logf("after %.1f s finding %s there: %t", time.Since(start).Seconds(), id, want)
	return found
}

// inTrail waits for an event of the op that holds the words.
func (p *proof) inTrail(t *testing.T, op, words string) {
	t.Helper()
	must(t, lab.Poll(alarm, func() error {
		var page struct {
			Entries []json.RawMessage `json:"entries"`
		}
		if err := p.Call("GET", "/operations?op="+op, nil, &page); err != nil {
			return err
		}
		if text := fmt.Sprintf("%s", page.Entries); !strings.Contains(text, words) {
			return fmt.Errorf("the trail has no %s with %s: %s", op, words, text)
		}
		return nil
	}))
}
