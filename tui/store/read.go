package store

import (
	"context"
	"slices"
	"sync"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/client"
)

type reading func(context.Context) (func(*Store), error)

// reader is how a part is read; it holds what it needs and never the store.
func (s *Store) reader(p Part) reading {
	cp := s.cp
	switch p {
	case Workers:
		return readWorkers(cp, s.edition)
	case Agents:
		return as(func(ctx context.Context) ([]api.Agent, error) { return cp.Agents(ctx, false) }, (*Store).inventory)
	case Health:
		return as(func(ctx context.Context) ([]api.Agent, error) { return cp.Agents(ctx, true) }, (*Store).health)
	case Masters:
		return as(cp.Masters, func(s *Store, v api.MastersByAgent) { s.Masters = v.Agents })
	case Tasks:
		return as(cp.Tasks, func(s *Store, v []api.Task) { s.Tasks = v })
	case Operations:
		return as(func(ctx context.Context) (api.Operations, error) {
			return cp.Operations(ctx, client.OperationsQuery{Tail: pageOfOperations})
		}, (*Store).newOperations)
	case Settings:
		return as(cp.AutoRegister, func(s *Store, v api.AutoRegister) { s.Auto = &v })
	case Sessions:
		return readSessions(cp, s.nodes())
	case Findings:
		return as(cp.Findings, func(s *Store, v []api.Finding) { s.Findings = v })
	}
	return as(cp.Ready, func(s *Store, v api.Ready) { s.Ready = v })
}

func as[T any](read func(context.Context) (T, error), set func(*Store, T)) reading {
	return func(ctx context.Context) (func(*Store), error) {
		v, err := read(ctx)
		return func(s *Store) { set(s, v) }, err
	}
}

func readWorkers(cp *client.ControlPlane, edition string) reading {
	return as(func(ctx context.Context) (client.Workers, error) {
		return cp.Workers(ctx, client.WorkerFilter{}, edition)
	}, func(s *Store, v client.Workers) {
		s.edition = v.Edition
		if v.Unchanged {
			return
		}
		s.Workers = make(map[string]*api.Worker, len(v.Rows))
		for i := range v.Rows {
			s.Workers[v.Rows[i].WorkerID] = &v.Rows[i]
		}
	})
}

// inventory takes the list of nodes, with what is known of their health: that
// may have been told before it.
func (s *Store) inventory(list []api.Agent) {
	for i := range list {
		a := &list[i]
		live, asked := s.healths[a.ID]
		switch {
		case a.Health != "":
		case !a.Enabled:
			a.Health = "disabled"
		case asked && live.Enabled:
			a.Health, a.Capabilities, a.Error = live.Health, live.Capabilities, live.Error
		}
	}
	s.Agents = list
}

// health adds how the nodes are. The inventory may have changed while they were
// asked, so this is no list of them unless there is none.
func (s *Store) health(list []api.Agent) {
	s.healths = make(map[string]api.Agent, len(list))
	for _, live := range list {
		s.healths[live.ID] = live
	}
	if s.state[Agents].at.IsZero() {
		s.Agents = list
		return
	}
	for i, a := range s.Agents {
		if live, asked := s.healths[a.ID]; asked && a.Enabled == live.Enabled {
			s.Agents[i].Health, s.Agents[i].Capabilities, s.Agents[i].Error = live.Health, live.Capabilities, live.Error
		}
	}
}

// nodes is who can tell of sessions.
func (s *Store) nodes() []string {
	var out []string
	for _, a := range s.Agents {
		if a.Enabled && a.Health == "ok" {
			out = append(out, a.ID)
		}
	}
	return out
}

// readSessions asks all nodes at once; one that does not answer hides its own
// sessions and no other's.
func readSessions(cp *client.ControlPlane, nodes []string) reading {
	return func(ctx context.Context) (func(*Store), error) {
		live := map[string]bool{}
		var failed []string
		var mu sync.Mutex
		var wg sync.WaitGroup
		for _, id := range nodes {
			wg.Go(func() {
				rows, err := cp.Sessions(ctx, id)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					failed = append(failed, id)
				}
				for _, r := range rows {
					live[r.WorkerID] = true
				}
			})
		}
		wg.Wait()
		slices.Sort(failed)
		return func(s *Store) { s.Live = live }, nil
	}
}
