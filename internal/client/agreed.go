package client

import (
	"fmt"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
)

// longestIQN is more than any iSCSI name has, in bytes: a foreign target may
// be called what it likes, within reason.
const longestIQN = 1024

// What follows says in what an answer that is JSON differs from what a storage
// node and we agreed on; "" when in nothing. A null or another daemon's object
// reads as a value with nothing in it, and would pass for success.

func healthAgreed(h *struct{ Status string }) string {
	if h.Status != "ok" {
		return fmt.Sprintf("its status is %q", fault.Clip(h.Status))
	}
	return ""
}

func capabilitiesAgreed(c *api.Capabilities) string {
	if _, err := iscsi.ParseBase(c.BaseIQN); err != nil {
		return fmt.Sprintf("its base_iqn is %q", fault.Clip(c.BaseIQN))
	}
	if c.Backend != "stgt" && c.Backend != "lio" {
		return fmt.Sprintf("its backend is %q", fault.Clip(c.Backend))
	}
	for _, words := range []*string{&c.FSType, &c.Clone, &c.EmptyDisk, &c.Version} {
		*words = fault.ClipWords(*words)
	}
	return ""
}

func targetsAgreed(list *[]api.Target) string {
	if *list == nil {
		return "it is no list"
	}
	for _, t := range *list {
		if t.IQN == "" || len(t.IQN) > longestIQN {
			return fmt.Sprintf("a target's iqn is %q", fault.Clip(t.IQN))
		}
	}
	return ""
}

func createdAgreed(c *api.LUNCreated) string {
	if c.IQN == "" {
		return "it names no iqn"
	}
	return ""
}

func deletedAgreed(d *api.LUNDeleted) string {
	if d.Deleted == "" {
		return "it names nothing that was deleted"
	}
	return ""
}

func mastersAgreed(m *api.Masters) string {
	if m.Masters == nil {
		return "it holds no list of masters"
	}
	return ""
}

func scanAgreed(s *api.Scan) string {
	if s.Created == nil && s.Skipped == nil {
		return "it lists neither what was created nor what was skipped"
	}
	for i := range s.Failed {
		s.Failed[i].Error = fault.ClipWords(s.Failed[i].Error)
	}
	return ""
}

func taskAgreed(t *api.AgentTask) string {
	if t.State == "" {
		return "it names no state"
	}
	t.Error = fault.ClipWords(t.Error)
	return ""
}
