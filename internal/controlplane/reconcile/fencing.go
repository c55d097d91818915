package reconcile

import (
	"strings"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/netboot"
)

// fencing are the disks of one node that more than one machine is on, and those
// that somebody wanted in vain. Which machine is to go a person has to decide.
func (c *comparison) fencing(id netboot.AgentID, f api.Fencing) {
	for _, r := range f.Rivalries {
		out, what := c.disk(TwoInitiators, id, r.IQN, "")
		c.add(out, "%s is in use by more than one machine since %s, which destroys its data: %s",
			what, r.Since.UTC().Format(time.RFC3339), whoIs(r.Sessions))
	}
	for _, r := range f.Refusals {
		out, what := c.disk(RefusedInitiator, id, r.IQN, ":"+r.Initiator+":"+r.Address)
		c.add(out, "%s did not admit %s from %s, which is not its machine; tries: %d, the last at %s",
			what, r.Initiator, r.Address, r.Count, r.Last.UTC().Format(time.RFC3339))
	}
}

// disk begins a finding about a target, and names it in a sentence.
func (c *comparison) disk(k Kind, id netboot.AgentID, iqn, more string) (Finding, string) {
	f := finding(k, id.String()+":"+iqn+more)
	f.Agent, f.IQN = id, iqn
	r, owned := c.owned[place{id, iqn}]
	if !owned {
		return f, "target " + iqn + " on agent " + id.String()
	}
	f.Worker, f.OS = r.worker, r.os
	return f, r.what() + ", target " + iqn + " on agent " + id.String() + ","
}

func whoIs(sessions []api.Session) string {
	var who []string
	for _, s := range sessions {
		from := "an unknown address"
		if s.Address != nil {
			from = *s.Address
		}
		who = append(who, s.Initiator+" from "+from)
	}
	return strings.Join(who, ", ")
}
