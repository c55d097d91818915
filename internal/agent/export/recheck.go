package export

import (
	"context"
	"slices"

	"ipxe-all-ready/internal/agent/target"
)

// recheck looks once more at what stands, now that the claims are locked: since
// the plan was made, a request may have served one of these disks under an IQN
// of its choice, and a second target for it would let two machines write it.
func (s *Service) recheck(ctx context.Context, before standing, claims []claim, done *Scanned) ([]claim, error) {
	if !slices.ContainsFunc(claims, func(c claim) bool { return before.byName[c.q.String()].Name == "" }) {
		return claims, nil // nothing new will be made
	}
	now, err := s.standing(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(claims, func(c claim) bool {
		t, served := now.byFile[c.n.String()]
		if c.n.IsCD() || !served || t.Name == c.q.String() {
			return false
		}
		done.Skipped = append(done.Skipped, t.Name)
		return true
	}), nil
}

func (s *Service) exports(claims []claim) []target.Export {
	exports := make([]target.Export, len(claims))
	for i, c := range claims {
		exports[i] = s.export(c.q, c.n)
	}
	return exports
}
