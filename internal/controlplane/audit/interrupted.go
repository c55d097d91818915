package audit

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"ipxe-all-ready/internal/jsonlog"
)

// unended gathers, line by line at open, the starts that have no end yet. It
// looks for texts and decodes nothing, because there may be a million lines:
// what is left in the end is few, and interrupt decodes that.
type unended struct{ open map[int64]struct{} }

var (
	startedText = []byte(`"started"`)
	refText     = []byte(`"ref":`)
)

func (u *unended) found(id int64, line []byte) {
	if bytes.Contains(line, startedText) {
		if u.open == nil {
			u.open = map[int64]struct{}{}
		}
		u.open[id] = struct{}{}
	}
	if len(u.open) == 0 {
		return
	}
	if i := bytes.Index(line, refText); i >= 0 {
		delete(u.open, leadingNumber(line[i+len(refText):]))
	}
}

func leadingNumber(b []byte) (n int64) {
	for _, c := range bytes.TrimLeft(b, " ") {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

func (u *unended) ids() []int64 { return slices.Sorted(maps.Keys(u.open)) }

// interrupted are the ends of those starts.
func (l *Log) interrupted(lines *jsonlog.Log, starts []int64) (ends []entry, err error) {
	for _, id := range starts {
		found, _, err := lines.Read(id-1, 1, jsonlog.Filter{})
		if err != nil {
			return nil, err
		}
		var s struct {
			ID int64 `json:"id"`
			wire
		}
		if len(found) == 0 || json.Unmarshal(found[0], &s) != nil || s.ID != id || s.Status != Started {
			continue
		}
		end := l.entry(s.Op, Interrupted, Fields{WorkerID: s.WorkerID, Agent: s.Agent, Client: s.Client})
		end.ref, end.failure = id, "the control plane stopped before this ended"
		ends = append(ends, end)
	}
	return ends, nil
}
