// Package audit owns operations.jsonl, the trail of every change that the
// control plane was asked for: the intent before the effect, then how it
// ended. Nothing here rotates or truncates the file, and no token gets in.
package audit

import (
	"context"
	"encoding/json"
	"time"

	"ipxe-all-ready/internal/jsonlog"
)

// Options of a Log. The zero value is good.
type Options struct {
	Now func() time.Time // time.Now if nil
	// Committed, if set, hears of every new entry once it is on disk, in
	// order. It must not block nor write to the log.
	Committed func(id int64, entry json.RawMessage)
}

// Log is the open trail. It is safe for concurrent use.
type Log struct {
	lines *jsonlog.Log
	now   func() time.Time
}

// Open opens or creates the trail at path and closes as interrupted what an
// earlier run started and did not end.
func Open(path string, o Options) (*Log, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	var u unended
	lines, err := jsonlog.Open(path, jsonlog.Options{Found: u.found, Committed: o.Committed})
	if err != nil {
		return nil, err
	}
	l := &Log{lines: lines, now: o.Now}
	if err := l.interrupt(u.ids()); err != nil {
		lines.Close()
		return nil, err
	}
	return l, nil
}

// Close waits for the entries under way.
func (l *Log) Close() error { return l.lines.Close() }

// Start records the intent. When it fails nothing may be done: the trail would
// not know of it.
func (l *Log) Start(ctx context.Context, op Op, f Fields) (*Span, error) {
	id, err := l.lines.Append(ctx, l.entry(op, Started, f))
	if err != nil {
		return nil, err
	}
	return &Span{log: l, op: op, fields: f, id: id}, nil
}

// Once records an operation that is its own start and end. It was done, so the
// end of ctx does not keep it out of the trail.
func (l *Log) Once(ctx context.Context, op Op, f Fields) error {
	_, err := l.lines.Append(context.WithoutCancel(ctx), l.entry(op, OK, f))
	return err
}

func (l *Log) entry(op Op, s Status, f Fields) entry {
	return entry{ts: l.now(), op: op, status: s, fields: f}
}
