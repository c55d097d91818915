// Package journal owns the operation log of one agent: who asked for what, and
// what became of it.
package journal

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"sync"
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

// The operations of the agent itself that say what it saw.
const (
	SecondInitiator  Op = "second_initiator"
	RefusedInitiator Op = "refused_initiator"
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

// Journal is one operation log.
type Journal struct {
	path   string
	report *slog.Logger
	now    func() time.Time

	mu     sync.Mutex
	log    *jsonlog.Log // nil: could not be opened yet
	closed bool
	wrong  error // of the last use
}

// Open opens or creates the file. Where it cannot, each use tries again: machines
// run from this node, and a full disk must not keep their targets from them.
func Open(path string, report *slog.Logger, now func() time.Time) *Journal {
	j := &Journal{path: path, report: report, now: now}
	if _, err := j.open(); err != nil {
		report.Error("operation log", "error", err)
	}
	return j
}

func (j *Journal) open() (*jsonlog.Log, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.log != nil {
		return j.log, nil
	}
	if j.closed {
		return nil, fault.Wrap(fault.Unavailable, os.ErrClosed, "log %s is closed", j.path)
	}
	j.log, j.wrong = jsonlog.Open(j.path, jsonlog.Options{})
	return j.log, j.wrong
}

// Wrong tells why the last entry was lost; nil: it was not.
func (j *Journal) Wrong() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.wrong
}

// Close flushes and closes the file.
func (j *Journal) Close() error {
	j.mu.Lock()
	j.closed = true
	log := j.log
	j.mu.Unlock()
	if log == nil {
		return nil
	}
	return log.Close()
}

// Add writes one entry, also when the caller is gone. What was done is done: a
// log that cannot be written is our own log's matter and not the caller's.
func (j *Journal) Add(ctx context.Context, op Op, client string, req, result any, err error) {
	e := Entry{TS: j.now().UTC().Truncate(time.Millisecond), Op: op, Req: req, Result: result, Client: client}
	if err != nil {
		e.Result, e.Error = nil, sentence(err)
	}
	if err := j.append(context.WithoutCancel(ctx), e); err != nil {
		j.report.Error("operation log", "op", op, "error", err)
	}
}

func (j *Journal) append(ctx context.Context, e Entry) error {
	log, err := j.open()
	if err == nil {
		_, err = log.Append(ctx, e)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.wrong = err
	return err
}

func sentence(err error) string {
	if errors.Is(err, context.Canceled) {
		return "given up: the caller hung up"
	}
	return fault.Sentence(err)
}

// Read is one page of entries with ids above since.
func (j *Journal) Read(since int64, limit int) (api.Operations, error) {
	log, err := j.open()
	if err != nil {
		return api.Operations{}, err
	}
	entries, next, err := log.Read(since, limit, jsonlog.Filter{})
	if err != nil {
		return api.Operations{}, err
	}
	page := api.Operations{NextCursor: next, Entries: entries}
	if page.Entries == nil {
		page.Entries = []json.RawMessage{}
	}
	return page, nil
}
