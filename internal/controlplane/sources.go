package controlplane

import (
	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/controlplane/metrics"
)

// sources are what a scrape counts; nobody scrapes before cp is whole.
func sources(cp *ControlPlane) metrics.Sources {
	return metrics.Sources{
		Workers: func() map[string]int {
			// All states are there from the start, so that a graph has no gaps.
			n := map[string]int{string(ledger.Registered): 0, string(ledger.Ready): 0, string(ledger.Installing): 0, string(ledger.Failed): 0}
			for w := range cp.ledger.Snapshot().Workers() {
				if w.Broken != "" {
					n[string(ledger.Failed)]++
					continue
				}
				n[string(w.State)]++
			}
			return n
		},
		Tasks: func() map[string]int {
			n := map[string]int{api.TaskQueued: 0, api.TaskRunning: 0}
			for _, t := range cp.tasks.List() {
				n[t.State]++
			}
			return n
		},
		Faults: func() int {
			n := len(cp.ledger.Faults())
			if cp.audit.Ready() != nil {
				n++
			}
			return n
		},
		Boots:  func() uint64 { return cp.ledger.Boots() },
		Rivals: func() int { return cp.provision.Rivalries() },
	}
}
