package provision

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/netboot"
)

// backends remembers what each node's capabilities said, because the boot path
// may not ask. Nodes whose tags name their backend are never looked up here.
type backends struct {
	known atomic.Pointer[map[netboot.AgentID]string]
	mu    sync.Mutex // of writers
}

func (b *backends) get(id netboot.AgentID) string {
	if m := b.known.Load(); m != nil {
		return (*m)[id]
	}
	return ""
}

func (b *backends) put(id netboot.AgentID, name string) {
	if name == "" || b.get(id) == name {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	next := map[netboot.AgentID]string{id: name}
	if m := b.known.Load(); m != nil {
		for k, v := range *m {
			if k != id {
				next[k] = v
			}
		}
	}
	b.known.Store(&next)
}

// separator is the root-path separator of a node's backend: by its tags, else
// by its capabilities, else stgt's.
func (s *Service) separator(a *ledger.Agent) iscsi.Separator {
	name := a.Backend()
	if name == "" {
		name = s.backends.get(a.ID)
	}
	if name == "lio" {
		return iscsi.SeparatorLIO
	}
	return iscsi.SeparatorSTGT
}

const (
	backendPause = 30 * time.Second // how often nodes without a backend in their tags are asked
	backendLook  = time.Second      // how often it is looked whether a node is another
)

// WatchBackends asks the nodes whose tags name no backend until ctx ends: now
// and then, and within a second where a node is new or has moved to another
// address. What stood there is believed until it has answered.
func (s *Service) WatchBackends(ctx context.Context) {
	tick := time.NewTicker(backendLook)
	defer tick.Stop()
	var asked []*ledger.Agent
	var last time.Time
	for {
		if now := s.snapshot().Agents(); !sameList(asked, now) || time.Since(last) >= backendPause {
			s.askBackends(ctx)
			asked, last = now, time.Now()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// sameList goes by identity: a snapshot's list is replaced and never changed.
func sameList(a, b []*ledger.Agent) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func (s *Service) askBackends(ctx context.Context) {
	untagged := agentsThat(s.snapshot(), func(a *ledger.Agent) bool { return a.Enabled && a.Backend() == "" })
	atOnce(s, untagged, func(a *ledger.Agent) (node, error) { return s.ask(ctx, a) }) // it remembers the answer
}
