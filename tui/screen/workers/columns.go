package workers

import (
	"fmt"
	"strings"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/screen/worker"
	"ipxe-all-ready/tui/table"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

func options(c *ui.Ctx) table.Options[*api.Worker] {
	return table.Options[*api.Worker]{
		ID:      func(w *api.Worker) string { return w.WorkerID },
		Base:    func(w *api.Worker) string { return cell.NaturalKey(w.WorkerID) },
		Search:  search,
		Field:   func(w *api.Worker, name string) (string, bool) { return field(c, w, name) },
		Fields:  []string{"state", "os", "agent", "mac", "id", "host", "live"},
		Columns: columns(c),
	}
}

func search(w *api.Worker) string {
	return strings.Join([]string{w.WorkerID, w.Hostname, worker.MAC(w), w.State, systems(w), strings.Join(Agents(w), " ")}, " ")
}

// field is what field:value in a filter looks at.
func field(c *ui.Ctx, w *api.Worker, name string) (string, bool) {
	switch name {
	case "state":
		return w.State, true
	case "os":
		return systems(w), true
	case "agent":
		return strings.Join(Agents(w), " "), true
	case "mac":
		return worker.MAC(w), true
	case "id":
		return w.WorkerID, true
	case "host":
		return w.Hostname, true
	case "live":
		return map[bool]string{true: "yes", false: "no"}[c.Store.Live[w.WorkerID]], true
	}
	return "", false
}

func columns(c *ui.Ctx) []table.Column[*api.Worker] {
	return []table.Column[*api.Worker]{
		{Title: "col.id", Name: true, Min: 12, Grow: 2, Text: func(w *api.Worker) string { return w.WorkerID }},
		{Title: "MAC", Min: 17, Drop: 3, Text: worker.MAC},
		{Title: "col.state", Min: 12, Text: func(w *api.Worker) string { return worker.StateWord(c, w.State) },
			Role: func(w *api.Worker) theme.Role { return worker.StateRole(w.State) }},
		{Title: "col.disks", Min: 14, Grow: 3, Text: systems},
		{Title: "col.agents", Name: true, Min: 8, Grow: 2, Drop: 2, Text: func(w *api.Worker) string { return strings.Join(Agents(w), ",") }},
		{Title: "col.boot", Min: 5, Drop: 4, Right: true, Text: func(w *api.Worker) string { return age(c, w.LastBootAt) },
			Key: bootKey},
		{Title: "col.live", Min: 4, Drop: 1, Text: func(w *api.Worker) string {
			return map[bool]string{true: c.T("live.yes"), false: "-"}[c.Store.Live[w.WorkerID]]
		}, Role: func(*api.Worker) theme.Role { return theme.Good }},
		{Title: "col.host", Name: true, Min: 10, Grow: 1, Drop: 6, Text: func(w *api.Worker) string { return w.Hostname }},
		{Title: "col.arch", Min: 7, Drop: 7, Text: func(w *api.Worker) string { return w.Arch }},
	}
}

// bootKey sorts the one that booted last first, those that never did at the end.
func bootKey(w *api.Worker) string {
	if w.LastBootAt == nil {
		return "~"
	}
	return fmt.Sprintf("%020d", uint64(1<<62)-uint64(w.LastBootAt.UnixNano())/2)
}
