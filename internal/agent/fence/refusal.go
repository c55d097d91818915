package fence

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"time"

	"ipxe-all-ready/internal/agent/target"
)

// remembered is how long a refusal is reported after its last time.
const remembered = 10 * time.Minute

// maxRefusals bounds what strangers can make us remember.
const maxRefusals = 256

// attempt is one initiator that wants to log in.
type attempt struct {
	target    string
	initiator string
	address   string
}

// refused takes in who tried to log in, and gives those refused ones that were
// not heard of lately. Whom a target admits is what its server shows: no server
// tells by itself, with a name, whom it refused.
func (w *Watch) refused(targets []target.Target, tries map[attempt]int, now time.Time) (news []Refusal) {
	acls := make(map[string][]string)
	for _, t := range targets {
		if len(tries) > 0 && w.guarded(t) {
			acls[t.Name] = t.ACL
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.refusals, func(_ attempt, r *Refusal) bool { return now.Sub(r.Last) >= remembered })
	for a, n := range tries {
		acl, ours := acls[a.target]
		if !ours || admits(acl, a) {
			continue
		}
		r := w.refusals[a]
		if r == nil {
			if len(w.refusals) >= maxRefusals {
				continue
			}
			r = &Refusal{IQN: a.target, Initiator: a.initiator, Address: a.address, First: now}
			w.refusals[a] = r
		}
		r.Last, r.Count = now, r.Count+n
		if r.First.Equal(now) {
			news = append(news, *r)
		}
	}
	slices.SortFunc(news, byName)
	return news
}

// admits reports whether a rule lets a in: one for everybody, one with its name,
// one with its address or network.
func admits(acl []string, a attempt) bool {
	from, _ := netip.ParseAddr(a.address)
	return slices.ContainsFunc(acl, func(rule string) bool {
		if rule == "ALL" || rule == a.initiator {
			return true
		}
		if one, err := netip.ParseAddr(rule); err == nil {
			return one == from
		}
		network, err := netip.ParsePrefix(rule)
		return err == nil && network.Contains(from)
	})
}

func byName(a, b Refusal) int {
	return cmp.Or(cmp.Compare(a.IQN, b.IQN), cmp.Compare(a.Initiator, b.Initiator), cmp.Compare(a.Address, b.Address))
}
