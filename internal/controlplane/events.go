package controlplane

import (
	"crypto/rand"
	"encoding/json"
	"strconv"
	"strings"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/event"
	"ipxe-all-ready/internal/controlplane/httpapi"
	"ipxe-all-ready/internal/controlplane/ledger"
)

// keptEvents is how far back a reader that comes again can go on: a storm of
// some thousand machines.
const keptEvents = 8192

// newHub names this start at random, so that ids of another are told apart
// whatever a clock was set to.
func newHub() *event.Hub {
	return event.NewHub(strings.ToLower(rand.Text()), keptEvents)
}

func (cp *ControlPlane) operationWritten(id int64, entry json.RawMessage) {
	cp.events.Publish(event.Operation, event.Change{Action: "created", ID: strconv.FormatInt(id, 10), Object: entry})
}

func (cp *ControlPlane) ledgerChanged(c ledger.Change) {
	httpapi.PublishChange(cp.events, cp.provision, c)
}

// largeTask is from how many items on an event carries no object: a batch of
// thousands tells of its progress twice a second.
const largeTask = 32

func (cp *ControlPlane) taskChanged(action string, t api.Task) {
	c := event.Change{Action: action, ID: t.ID}
	if action != "deleted" && len(t.Items) <= largeTask {
		c.Object = t
	}
	cp.events.Publish(event.Task, c)
}
