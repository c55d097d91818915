// Package journal owns the operation log of one agent: who asked for what, and
// what became of it.
package journal

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/jsonlog"
)

// Op names one kind of entry.
type Op string

// The operations that change something.
const (
	Disk     Op = "disk"
	CD       Op = "cd"
	Scan     Op = "scan"
	Delete   Op = "delete"
	AutoScan Op = "auto_scan"
)

// Limits of one page.
const (
	DefaultLimit = 1000
	MaxLimit     = 10000
)

// Entry is one line; its id is the log's.
type Entry struct {
	TS     time.Time `json:"ts"`
	Op     Op        `json:"op"`
	Req    any       `json:"req"`
	Result any       `json:"result"` // null when it failed
	Client string    `json:"client"` // empty: the agent itself
	Error  string    `json:"error,omitempty"`
}

// Journal is one open operation log.
type Journal struct {
	log    *jsonlog.Log
	report *slog.Logger
	now    func() time.Time
}

// Open opens or creates the file.
func Open(path string, report *slog.Logger, now func() time.Time) (*Journal, error) {
	log, err := jsonlog.Open(path, jsonlog.Options{})
	if err != nil {
		return nil, err
	}
	return &Journal{log: log, report: report, now: now}, nil
}

// Close flushes and closes the file.
func (j *Journal) Close() error { return j.log.Close() }

// Add writes one entry, also when the caller is gone. What was done is done: a
// log that cannot be written is our own log's matter and not the caller's.
func (j *Journal) Add(ctx context.Context, op Op, client string, req, result any, err error) {
	e := Entry{TS: j.now().UTC().Truncate(time.Millisecond), Op: op, Req: req, Result: result, Client: client}
	if err != nil {
		e.Result, e.Error = nil, sentence(err)
	}
	if _, err := j.log.Append(context.WithoutCancel(ctx), e); err != nil {
		j.report.Error("operation log", "op", op, "error", err)
	}
}

func sentence(err error) string {
	if errors.Is(err, context.Canceled) {
		return "given up: the caller hung up"
	}
	return fault.Sentence(err)
}

// Read is one page of entries with ids above since.
func (j *Journal) Read(since int64, limit int) (api.Operations, error) {
	entries, next, err := j.log.Read(since, limit, jsonlog.Filter{})
	if err != nil {
		return api.Operations{}, err
	}
	page := api.Operations{NextCursor: next, Entries: entries}
	if page.Entries == nil {
		page.Entries = []json.RawMessage{}
	}
	return page, nil
}
