package httpapi

import (
	"path/filepath"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/event"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/controlplane/provision"
)

// What an event says was done to a thing.
const (
	created = "created"
	updated = "updated"
	deleted = "deleted"
	broken  = "broken"
	mended  = "mended"
)

// many is from how many workers on a reader is better told to read everything
// anew than of each.
const many = 2000

// PublishChange turns what changed in the ledger into events, whose objects are
// what a GET of the thing shows.
func PublishChange(hub *event.Hub, p *provision.Service, c ledger.Change) {
	if len(c.Workers) > many {
		hub.Publish(event.Reset, event.Change{Action: "reset"})
		return
	}
	for _, id := range c.Workers {
		e := event.Change{Action: deleted, ID: id.String()}
		if w, ok := c.New.Worker(id); ok {
			_, had := c.Old.Worker(id)
			e.Action, e.Object = createdOrUpdated(had), workerView(c.New, w)
		}
		hub.Publish(event.Worker, e)
	}
	for _, id := range c.Agents {
		e := event.Change{Action: deleted, ID: id.String()}
		if a, ok := c.New.Agent(id); ok {
			_, had := c.Old.Agent(id)
			e.Action, e.Object = createdOrUpdated(had), agentView(provision.LiveAgent{Agent: a})
		}
		hub.Publish(event.Agent, e)
	}
	if c.Settings {
		hub.Publish(event.Settings, event.Change{Action: updated, ID: "auto-register", Object: autoRegisterView(p)})
	}
	publishFaults(hub, broken, c.Broken)
	publishFaults(hub, mended, c.Mended)
}

func createdOrUpdated(had bool) string {
	if had {
		return updated
	}
	return created
}

func publishFaults(hub *event.Hub, action string, faults []ledger.Fault) {
	for _, f := range faults {
		hub.Publish(event.LedgerFault, event.Change{
			Action: action, ID: filepath.Base(f.File), Object: api.LedgerFault{File: f.File, Line: f.Line, Error: f.Text},
		})
	}
}
