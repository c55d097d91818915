package api

import "encoding/json"

// The kinds of events.
const (
	EventWorker      = "worker"
	EventAgent       = "agent"
	EventTask        = "task"
	EventOperation   = "operation"
	EventSettings    = "settings"
	EventLedgerFault = "ledger_fault"
	EventReset       = "reset" // what was missed is not known: read everything anew
)

// Change is the data of an event.
type Change struct {
	Action string          `json:"action"` // created, updated, deleted; for a fault: broken, mended
	ID     string          `json:"id"`
	Object json.RawMessage `json:"object,omitempty"`
}
