package audit

import (
	"encoding/json"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/jsonlog"
)

// The bounds of Query.Limit and Query.Tail that the API keeps.
const (
	DefaultLimit = 1000
	MaxLimit     = 10_000
)

// Query chooses entries. Tail or Before set, the newest are meant, else those
// that follow Since; the entries rise in either case.
type Query struct {
	Since    int64
	Limit    int   // 0 is DefaultLimit
	Tail     int   // the newest so many
	Before   int64 // the newest below this id
	Op       Op    // this and the next two: empty takes all
	Status   Status
	WorkerID string
}

// Query returns one page. Its cursor is the last id of the page; of an empty
// page that from which nothing is missed.
func (l *Log) Query(q Query) (api.Operations, error) {
	limit, f := q.Limit, q.filter()
	if q.Tail > 0 {
		limit = q.Tail
	}
	if limit <= 0 {
		limit = DefaultLimit
	}
	page := api.Operations{}
	lines, err := l.opened()
	if err != nil {
		return page, err
	}
	switch {
	case q.Before > 0:
		page.Entries, err = lines.Before(q.Before, limit, f)
		page.NextCursor = lastID(page.Entries, q.Since)
	case q.Tail > 0:
		last := lines.Last()
		page.Entries, err = lines.Tail(limit, f)
		page.NextCursor = lastID(page.Entries, last)
	default:
		page.Entries, page.NextCursor, err = lines.Read(max(0, q.Since), limit, f)
	}
	if page.Entries == nil {
		page.Entries = []json.RawMessage{} // [] on the wire, not null
	}
	return page, err
}

func lastID(entries []json.RawMessage, otherwise int64) int64 {
	if len(entries) == 0 {
		return otherwise
	}
	var e struct {
		ID int64 `json:"id"`
	}
	_ = json.Unmarshal(entries[len(entries)-1], &e) // jsonlog gives records with an id only
	return e.ID
}

func (q Query) filter() (f jsonlog.Filter) {
	want := []string{string(q.Op), string(q.Status), q.WorkerID}
	for _, v := range want {
		if v != "" {
			quoted, _ := json.Marshal(v) // a string always encodes
			f.Contains = append(f.Contains, quoted)
		}
	}
	if len(f.Contains) > 0 {
		f.Keep = q.matches
	}
	return f
}

func (q Query) matches(line json.RawMessage) bool {
	var e struct {
		Op       Op     `json:"op"`
		Status   Status `json:"status"`
		WorkerID string `json:"worker_id"`
	}
	return json.Unmarshal(line, &e) == nil && (q.Op == "" || q.Op == e.Op) &&
		(q.Status == "" || q.Status == e.Status) && (q.WorkerID == "" || q.WorkerID == e.WorkerID)
}
