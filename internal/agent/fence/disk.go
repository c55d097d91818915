package fence

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"ipxe-all-ready/internal/agent/target"
)

// disk is who is, and lately was, logged in to one.
type disk struct {
	parties map[string]*party
	rivalry time.Time // since when more than one machine is on it; zero: not
}

// party is what we take for one machine: all sessions from one address. A
// machine's firmware and its system may call themselves differently. Where the
// server tells no address it is one session of one name.
type party struct {
	sessions []target.Session
	since    time.Time // without a gap
	last     time.Time // when it was seen last
	returns  int       // times it came back to a disk that another had meanwhile
	placed   bool      // its address is known
}

// recent is how long a party that left is remembered, to see it come back.
const recent = time.Minute

// returnsOfRivals: two machines that call themselves the same end each other's
// session at every login, so that both are seldom seen at once. A machine that
// got another address does not come back with the old one.
const returnsOfRivals = 2

// see takes in the sessions of now.
func (d *disk) see(sessions []target.Session, now time.Time, linger time.Duration) {
	others := func(key string) bool { // was anybody else here after key was seen last?
		for k, p := range d.parties {
			if k != key && p.last.After(d.parties[key].last) {
				return true
			}
		}
		return false
	}
	here := byMachine(sessions)
	for key, p := range here {
		old := d.parties[key]
		switch {
		case old == nil:
			p.since = now
		case others(key) && p.placed:
			p.since, p.returns = now, old.returns+1
		default:
			p.since, p.returns = old.since, old.returns
		}
		p.last = now
	}
	for key, old := range d.parties {
		if here[key] == nil && now.Sub(old.last) <= recent {
			here[key] = old
		}
	}
	d.parties = here
	d.judge(now, linger)
}

// judge decides whether there are rivals: two machines at once for longer than
// a dead one may linger, or two that take the disk from each other.
func (d *disk) judge(now time.Time, linger time.Duration) {
	var since []time.Time
	returns := 0
	for _, p := range d.parties {
		returns += p.returns
		if p.last.Equal(now) {
			since = append(since, p.since)
		}
	}
	slices.SortFunc(since, time.Time.Compare)
	switch {
	case len(d.parties) < 2:
		d.rivalry = time.Time{}
		for _, p := range d.parties {
			p.returns = 0
		}
	case len(since) > 1 && now.Sub(since[1]) > linger, returns >= returnsOfRivals:
		if d.rivalry.IsZero() {
			d.rivalry = now
			if len(since) > 1 {
				d.rivalry = since[1]
			}
		}
	case len(since) < 2:
		d.rivalry = time.Time{}
	}
}

// sessions of those who are or lately were here, by machine.
func (d *disk) sessions() (out []target.Session) {
	for _, key := range slices.Sorted(maps.Keys(d.parties)) {
		out = append(out, d.parties[key].sessions...)
	}
	return out
}

func byMachine(sessions []target.Session) map[string]*party {
	out := make(map[string]*party)
	for _, s := range sessions {
		key := s.Address
		if key == "" {
			for n := 1; ; n++ {
				if key = s.Initiator + " " + strconv.Itoa(n); out[key] == nil {
					break
				}
			}
		}
		p := out[key]
		if p == nil {
			p = &party{placed: s.Address != ""}
			out[key] = p
		}
		p.sessions = append(p.sessions, s)
	}
	return out
}
