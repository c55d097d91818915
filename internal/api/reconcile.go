package api

// Reconcile is GET /reconcile.
type Reconcile struct {
	Findings []Finding `json:"findings"`
}

// Finding is one thing in which ledger, bindings and nodes do not agree.
type Finding struct {
	ID       string `json:"id"` // the same as long as the thing is
	Kind     string `json:"kind"`
	WorkerID string `json:"worker_id,omitempty"`
	Agent    string `json:"agent,omitempty"`
	Detail   string `json:"detail"`
	Fix      string `json:"fix,omitempty"` // export_again, adopt_disk, remove_target, remove_binding; absent: a person has to decide
}

// FixFindings is POST /reconcile.
type FixFindings struct {
	Fix []string `json:"fix"`
}

// FindingsFixed is its answer, each list in the order asked.
type FindingsFixed struct {
	Fixed  []string    `json:"fixed"`
	Failed []FixFailed `json:"failed"`
}

// FixFailed is one finding that could not be repaired.
type FixFailed struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}
