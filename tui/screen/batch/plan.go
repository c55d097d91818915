package batch

import (
	"slices"

	"ipxe-all-ready/internal/api"
)

// item is a worker and the node that its disk goes to.
type item struct {
	worker string
	agent  string // "" as long as nobody chose
	skip   bool   // has a disk of that system
}

// deal gives nodes to the items in turn, in their order; those that are skipped
// take no turn.
func deal(items []item, nodes []string) {
	if len(nodes) == 0 {
		return
	}
	turn := 0
	for i := range items {
		if items[i].skip {
			continue
		}
		items[i].agent = nodes[turn%len(nodes)]
		turn++
	}
}

// counts is how many disks each node will get.
func counts(items []item) map[string]int {
	out := map[string]int{}
	for _, i := range items {
		if !i.skip && i.agent != "" {
			out[i.agent]++
		}
	}
	return out
}

// shift moves one item to the next or the previous node.
func shift(i *item, nodes []string, n int) {
	if len(nodes) == 0 {
		return
	}
	at := slices.Index(nodes, i.agent)
	if at < 0 && n < 0 {
		at = 0
	}
	i.agent = nodes[(at+n+len(nodes))%len(nodes)]
}

// marked notes which workers have a disk of that system.
func marked(items []item, os string, workers map[string]*api.Worker) {
	for i := range items {
		w := workers[items[i].worker]
		items[i].skip = w != nil && slices.ContainsFunc(w.Disks, func(d api.Disk) bool { return d.OS == os })
	}
}

// targets is what is asked for. Skipped ones go along, so that the result
// names them; they need some node's name.
func targets(items []item, fallback string) []api.BatchTarget {
	out := make([]api.BatchTarget, 0, len(items))
	for _, i := range items {
		agent := i.agent
		if agent == "" {
			agent = fallback
		}
		out = append(out, api.BatchTarget{WorkerID: i.worker, Agent: agent})
	}
	return out
}
