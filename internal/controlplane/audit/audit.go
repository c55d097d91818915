// Package audit owns operations.jsonl, the trail of every change that the
// control plane was asked for: the intent before the effect, then how it
// ended. Nothing here rotates or truncates the file, and no token gets in.
package audit

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/jsonlog"
)

// Options of a Log. The zero value is good.
type Options struct {
	Now func() time.Time // time.Now if nil
	// Committed, if set, hears of every new entry once it is on disk, in
	// order. It must not block nor write to the log.
	Committed func(id int64, entry json.RawMessage)
	// May, if set, is asked before each write; what it answers but nil refuses it.
	May func() error
}

// Log is the trail. It is safe for concurrent use.
type Log struct {
	path  string
	o     Options
	lines atomic.Pointer[jsonlog.Log] // nil: the file could not be opened yet
	hurt  atomic.Pointer[fault.Error] // nil: the last write went well and nothing is owed

	mending sync.Mutex // held by the one who tries again, during I/O
	mu      sync.Mutex // guards what follows
	owed    []entry    // what happened and is not in the file
	closed  bool
}

// Open opens or creates the trail at path and closes as interrupted what an
// earlier run started and did not end. A file that cannot be had is no reason
// not to serve machines: Ready tells of it, and it is tried again at every use.
func Open(path string, o Options) *Log {
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &Log{path: path, o: o}
	l.hurt.Store(fault.New(fault.Unavailable, "the audit trail %s is not open", path))
	_ = l.Ready() // whoever uses it asks again
	return l
}

// Path is where the trail is.
func (l *Log) Path() string { return l.path }

// Close waits for the entries under way. What the file cannot take by then is
// lost.
func (l *Log) Close() error {
	_ = l.Ready()
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.mending.Lock() // so that no file is opened from now on
	defer l.mending.Unlock()
	if lines := l.lines.Load(); lines != nil {
		return lines.Close()
	}
	return nil
}

// Start records the intent. When it fails nothing may be done: the trail would
// not know of it.
func (l *Log) Start(ctx context.Context, op Op, f Fields) (*Span, error) {
	id, err := l.append(ctx, l.entry(op, Started, f))
	if err != nil {
		return nil, err
	}
	return &Span{log: l, op: op, fields: f, id: id}, nil
}

// Once records an operation that is its own start and end.
func (l *Log) Once(ctx context.Context, op Op, f Fields) error {
	return l.happened(ctx, l.entry(op, OK, f))
}

func (l *Log) entry(op Op, s Status, f Fields) entry {
	return entry{ts: l.o.Now(), op: op, status: s, fields: f}
}
