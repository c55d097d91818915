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

	turn   sync.RWMutex // held for reading while the log is used, for writing when another takes its place
	log    *jsonlog.Log // nil: could not be opened yet
	closed bool

	mu    sync.Mutex
	wrong error // of the last use
}

// Open opens or creates the file. Where it cannot, each use tries again: machines
// run from this node, and a full disk must not keep their targets from them.
func Open(path string, report *slog.Logger, now func() time.Time) *Journal {
	j := &Journal{path: path, report: report, now: now}
	if err := j.use(func(*jsonlog.Log) error { return nil }); err != nil {
		j.noted(err)
		report.Error("operation log", "error", err)
	}
	return j
}

// use lends the log at the path, which is not closed meanwhile.
func (j *Journal) use(fn func(*jsonlog.Log) error) error {
	j.turn.RLock()
	if log := j.log; log != nil && (j.closed || !log.Moved()) {
		defer j.turn.RUnlock()
		return fn(log)
	}
	j.turn.RUnlock()
	j.turn.Lock()
	defer j.turn.Unlock()
	log, err := j.open()
	if err != nil {
		return err
	}
	return fn(log)
}

// open lets a log go that was rotated. Ids go on in the file that takes its
// place: whoever reads by them misses nothing.
func (j *Journal) open() (log *jsonlog.Log, err error) {
	if j.closed {
		return nil, fault.Wrap(fault.Unavailable, os.ErrClosed, "log %s is closed", j.path)
	}
	above := int64(0)
	if j.log != nil {
		if !j.log.Moved() {
			return j.log, nil // somebody else was faster
		}
		above = j.log.Last()
	}
	if log, err = jsonlog.Open(j.path, jsonlog.Options{Above: above}); err != nil {
		return nil, err // and the old one stays, so that its ids are not given again
	}
	if j.log != nil {
		_ = j.log.Close()
	}
	j.log = log
	return log, nil
}

func (j *Journal) noted(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.wrong = err
}

// Wrong tells why the last entry was lost; nil: it was not.
func (j *Journal) Wrong() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.wrong
}

// Close flushes and closes the file.
func (j *Journal) Close() error {
	j.turn.Lock()
	defer j.turn.Unlock()
	j.closed = true
	if j.log == nil {
		return nil
	}
	return j.log.Close()
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
	err := j.use(func(log *jsonlog.Log) error {
		_, err := log.Append(ctx, e)
		return err
	})
	j.noted(err)
	return err
}

func sentence(err error) string {
	if errors.Is(err, context.Canceled) {
		return "given up: the caller hung up"
	}
	return fault.Sentence(err)
}

// Read is one page of entries with ids above since. Those of rotated files are
// not among them.
func (j *Journal) Read(since int64, limit int) (api.Operations, error) {
	var page api.Operations
	err := j.use(func(log *jsonlog.Log) (err error) {
		page.Entries, page.NextCursor, err = log.Read(since, limit, jsonlog.Filter{})
		return err
	})
	if err != nil {
		return api.Operations{}, err
	}
	if page.Entries == nil {
		page.Entries = []json.RawMessage{}
	}
	return page, nil
}
