package agent

import (
	"cmp"
	"context"
	"net/netip"
	"strings"

	"ipxe-all-ready/internal/agent/fence"
	"ipxe-all-ready/internal/agent/httpapi"
	"ipxe-all-ready/internal/agent/journal"
	"ipxe-all-ready/internal/agent/metrics"
	"ipxe-all-ready/internal/agent/target"
)

// iscsiPort is what both servers serve unless told otherwise.
const iscsiPort = 3260

// newFence watches who is on the disks. Only where disks are closed is anybody
// refused, and are logins looked for.
func (a *Agent) newFence(b target.Backend, m *metrics.Metrics) *fence.Watch {
	o := fence.Options{
		Base: a.o.Base, List: b.List, Linger: b.Traits().Linger, Log: a.log, Now: a.o.Now, Interval: a.o.Fence,
		Alarm: func(r fence.Rivalry) {
			a.log.Error("more than one machine is on a disk", "iqn", r.IQN, "sessions", whoIs(r.Sessions))
			a.journal.Add(context.Background(), journal.SecondInitiator, "", struct{}{}, httpapi.RivalryRow(r), nil)
		},
		Turned: func(r fence.Refusal) {
			m.TurnedAway()
			a.log.Warn("an initiator was refused", "iqn", r.IQN, "initiator", r.Initiator, "address", r.Address)
			a.journal.Add(context.Background(), journal.RefusedInitiator, "", struct{}{}, httpapi.RefusalRow(r), nil)
		},
	}
	if a.o.OwnInitiator {
		port := uint16(iscsiPort)
		if p, err := netip.ParseAddrPort(a.o.Portal); err == nil {
			port = p.Port()
		}
		o.Door = fence.NewDoor(port, a.log)
	}
	return fence.New(o)
}

func whoIs(sessions []target.Session) string {
	var who []string
	for _, s := range sessions {
		who = append(who, s.Initiator+" from "+cmp.Or(s.Address, "an unknown address"))
	}
	return strings.Join(who, ", ")
}
