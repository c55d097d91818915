package ledger

import (
	"iter"
	"slices"

	"ipxe-all-ready/internal/netboot"
)

// WorkersAfter walks the workers that come after id in natural order, whether
// id itself is still there or not; the zero id comes before all.
func (s *Snapshot) WorkersAfter(id netboot.WorkerID) iter.Seq[*Worker] {
	all := s.order.sorted(s.workers)
	if id.IsZero() {
		return slices.Values(all)
	}
	i, found := slices.BinarySearchFunc(all, id, func(w *Worker, id netboot.WorkerID) int {
		return naturally(w.ID.String(), id.String())
	})
	if found {
		i++
	}
	return slices.Values(all[i:])
}
