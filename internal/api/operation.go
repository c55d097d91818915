package api

import "encoding/json"

// Operations is one page of the audit trail or of an agent's log.
type Operations struct {
	NextCursor int64             `json:"next_cursor"` // the newest id of this page: pass it as since
	Entries    []json.RawMessage `json:"entries"`     // as they stand in the file
}

// AutoRegister is GET and PUT /settings/auto-register.
type AutoRegister struct {
	Enabled bool   `json:"enabled"`
	Source  string `json:"source,omitempty"` // env or settings
}

// Ready is GET /readyz.
type Ready struct {
	Status string        `json:"status"` // ready or not_ready
	Faults []LedgerFault `json:"faults,omitempty"`
	Notes  []string      `json:"notes,omitempty"` // what a person should look at and blocks nothing
}

// LedgerFault is a file that a hand edit broke.
type LedgerFault struct {
	File  string `json:"file"`
	Line  int    `json:"line,omitempty"`
	Error string `json:"error"`
}
