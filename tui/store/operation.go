package store

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/client"
)

const (
	pageOfOperations = 200
	mostOperations   = 20000
)

// Operation is one entry of the audit trail.
type Operation struct {
	ID       int64     `json:"id"`
	TS       time.Time `json:"ts"`
	Op       string    `json:"op"`
	Status   string    `json:"status"`
	WorkerID string    `json:"worker_id"`
	Agent    string    `json:"agent"`
	Client   string    `json:"client"`
	Error    string    `json:"error"`
	Ref      int64     `json:"ref"`
	Raw      json.RawMessage
}

// ReadOperation reads an entry; what cannot be read is shown as it stands.
func ReadOperation(raw json.RawMessage) Operation {
	var o Operation
	if err := json.Unmarshal(raw, &o); err != nil {
		o.Error = string(raw)
	}
	o.Raw = raw
	return o
}

// ReadOperations is the entries of a page, newest first.
func ReadOperations(page api.Operations) []Operation {
	out := make([]Operation, 0, len(page.Entries))
	for _, raw := range page.Entries {
		out = append(out, ReadOperation(raw))
	}
	slices.SortFunc(out, func(a, b Operation) int { return int(b.ID - a.ID) })
	return out
}

// newOperations joins the newest page to what is known, or begins anew where a
// gap would be left.
func (s *Store) newOperations(page api.Operations) {
	fresh := ReadOperations(page)
	if len(s.Operations) > 0 && len(fresh) > 0 && fresh[len(fresh)-1].ID <= s.Operations[0].ID+1 {
		last := fresh[len(fresh)-1].ID
		keep := slices.IndexFunc(s.Operations, func(o Operation) bool { return o.ID < last })
		if keep >= 0 {
			fresh = append(fresh, s.Operations[keep:]...)
		}
	}
	s.Operations = fresh
	s.Oldest = len(fresh) == 0 || fresh[len(fresh)-1].ID <= 1
}

func (s *Store) operationEvent(c api.Change) Changed {
	o := ReadOperation(c.Object)
	return s.change(Operations, func(s *Store) []string {
		if len(s.Operations) > 0 && o.ID <= s.Operations[0].ID {
			return nil
		}
		s.Operations = slices.Insert(s.Operations, 0, o)
		if len(s.Operations) > mostOperations {
			s.Operations, s.Oldest = s.Operations[:mostOperations], false
		}
		return []string{c.ID}
	})
}

// OlderOperations is the answer to LoadOlder.
type OlderOperations struct {
	Before int64
	Rows   []Operation
	Err    error
}

// LoadOlder reads the page before the oldest entry known; nil: there is none.
func (s *Store) LoadOlder() tea.Cmd {
	if s.Oldest || len(s.Operations) == 0 || len(s.Operations) >= mostOperations {
		return nil
	}
	cp, before := s.cp, s.Operations[len(s.Operations)-1].ID
	return func() tea.Msg {
		page, err := cp.Operations(context.Background(), client.OperationsQuery{Before: before, Limit: pageOfOperations})
		return OlderOperations{Before: before, Rows: ReadOperations(page), Err: err}
	}
}

// AddOlder takes that answer in, unless it does not fit any more.
func (s *Store) AddOlder(m OlderOperations) bool {
	if m.Err != nil || len(s.Operations) == 0 || s.Operations[len(s.Operations)-1].ID != m.Before {
		return false
	}
	s.Operations = append(s.Operations, m.Rows...)
	s.Oldest = len(m.Rows) == 0 || m.Rows[len(m.Rows)-1].ID <= 1
	return true
}
