package provision

import (
	"context"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/netboot"
)

// Login is an initiator that is logged in to a target of a node now.
type Login struct {
	IQN     string
	Worker  *ledger.Worker // nil where no worker has that target
	OS      netboot.OS     // zero for a CD
	Session api.Session
}

// Sessions lists who runs from a node now, in the order of its targets.
func (s *Service) Sessions(ctx context.Context, id netboot.AgentID) ([]Login, error) {
	targets, err := s.Targets(ctx, id)
	if err != nil {
		return nil, err
	}
	owners := ownersOn(s.snapshot(), id)
	var out []Login
	for _, t := range targets {
		o := owners[t.IQN]
		for _, x := range t.Sessions {
			out = append(out, Login{IQN: t.IQN, Worker: o.worker, OS: o.os, Session: x})
		}
	}
	return out, nil
}

// owner is the worker behind a target; the system is zero for a CD.
type owner struct {
	worker *ledger.Worker
	os     netboot.OS
}

// ownersOn are the owners of a node's targets by IQN.
func ownersOn(f fleet, id netboot.AgentID) map[string]owner {
	out := make(map[string]owner)
	for w := range f.Workers() {
		for _, d := range w.Disks {
			if d.Agent == id {
				out[d.IQN.String()] = owner{w, d.OS}
			}
		}
		if w.CD != nil && w.CD.Agent == id {
			out[w.CD.IQN.String()] = owner{worker: w}
		}
	}
	return out
}
