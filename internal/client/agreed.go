package client

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
)

// longestIQN is more than any iSCSI name has, in bytes: a foreign target may
// be called what it likes, within reason.
const longestIQN = 1024

// longestPath is what no path exceeds, in bytes: PATH_MAX.
const longestPath = 4096

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
	seen := make(map[string]bool, len(*list))
	for _, t := range *list {
		if t.IQN == "" || len(t.IQN) > longestIQN {
			return fmt.Sprintf("a target's iqn is %q", fault.Clip(t.IQN))
		}
		if seen[t.IQN] {
			return fmt.Sprintf("it lists target %q twice", fault.Clip(t.IQN))
		}
		seen[t.IQN] = true
	}
	return ""
}

func fencingAgreed(f *api.Fencing) string {
	if f.Rivalries == nil || f.Refusals == nil {
		return "it lists neither rivalries nor refusals"
	}
	for _, r := range f.Rivalries {
		if r.IQN == "" || len(r.IQN) > longestIQN || len(r.Sessions) == 0 {
			return fmt.Sprintf("a rivalry's iqn is %q, with %d sessions", fault.Clip(r.IQN), len(r.Sessions))
		}
	}
	for _, r := range f.Refusals {
		if r.IQN == "" || len(r.IQN) > longestIQN || len(r.Initiator) > longestIQN || len(r.Address) > longestIQN {
			return fmt.Sprintf("a refusal's iqn is %q", fault.Clip(r.IQN))
		}
	}
	f.Blind = fault.ClipWords(f.Blind)
	return ""
}

// createdAgreed is of an answer that a ledger may keep a part of.
func createdAgreed(c *api.LUNCreated) string {
	if c.IQN == "" || len(c.IQN) > longestIQN {
		return fmt.Sprintf("it names the iqn %q", fault.Clip(c.IQN))
	}
	if len(c.Backing) > longestPath || strings.ContainsFunc(c.Backing, unicode.IsControl) {
		return fmt.Sprintf("its backing is %q", fault.Clip(c.Backing))
	}
	return ""
}

// createdAs is createdAgreed of a target that was asked for under that name;
// "" leaves it to the node.
func createdAs(iqn string) func(*api.LUNCreated) string {
	return func(c *api.LUNCreated) string {
		if why := createdAgreed(c); why != "" || iqn == "" || strings.EqualFold(c.IQN, iqn) {
			return why
		}
		return fmt.Sprintf("it made target %q and not %s", fault.Clip(c.IQN), iqn)
	}
}

func deletedAgreed(iqn string) func(*api.LUNDeleted) string {
	return func(d *api.LUNDeleted) string {
		if strings.EqualFold(d.Deleted, iqn) {
			return ""
		}
		return fmt.Sprintf("it deleted %q and not %s", fault.Clip(d.Deleted), iqn)
	}
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

func taskAgreed(id string) func(*api.AgentTask) string {
	return func(t *api.AgentTask) string {
		if t.ID != id {
			return fmt.Sprintf("it is of task %q and not %s", fault.Clip(t.ID), id)
		}
		if !slices.Contains(taskStates, t.State) {
			return fmt.Sprintf("its state is %q", fault.Clip(t.State))
		}
		if t.BytesDone < 0 || t.BytesTotal < 0 {
			return fmt.Sprintf("it has done %d bytes of %d", t.BytesDone, t.BytesTotal)
		}
		t.Error = fault.ClipWords(t.Error)
		if t.Result == nil {
			return ""
		}
		return createdAgreed(t.Result)
	}
}

var taskStates = []string{api.TaskQueued, api.TaskRunning, api.TaskSucceeded, api.TaskFailed, api.TaskCancelled}

// longestTask is more than the id of any task has, in bytes.
const longestTask = 128

// isTask reports whether s can be the id of a task: it becomes an element of a path.
func isTask(s string) bool {
	strange := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._-", r))
	}
	return s != "" && len(s) <= longestTask && !strings.ContainsFunc(s, strange) && strings.Trim(s, ".") != ""
}
