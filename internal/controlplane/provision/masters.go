package provision

import (
	"context"
	"sync"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
)

// NodeMasters are one node's golden images, or why they are not known.
type NodeMasters struct {
	Agent   *ledger.Agent
	Masters []api.Master
	Err     error
}

// Masters asks all enabled nodes with the disk role at once. One that fails is
// its own row's fault; it is an error when every one fails.
func (s *Service) Masters(ctx context.Context) ([]NodeMasters, error) {
	var rows []NodeMasters
	for _, a := range s.snapshot().Agents() {
		if a.Enabled && a.RoleDisk {
			rows = append(rows, NodeMasters{Agent: a})
		}
	}
	var wg sync.WaitGroup
	for i := range rows {
		wg.Go(func() {
			m, err := s.o.Folder(rows[i].Agent).Masters(ctx)
			rows[i].Masters, rows[i].Err = m.Masters, err
		})
	}
	wg.Wait()
	var errs []error
	for _, r := range rows {
		if r.Err != nil {
			errs = append(errs, r.Err)
		}
	}
	if len(rows) > 0 && len(errs) == len(rows) {
		return nil, fault.New(fault.Upstream, "no agent tells its masters: %s", sentences(errs))
	}
	return rows, nil
}
