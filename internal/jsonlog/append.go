package jsonlog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"

	"ipxe-all-ready/internal/fault"
)

// maxLine is the longest line that counts as a record, in bytes.
const maxLine = 1 << 20

// commit is what one caller waits for: records with ids in a row. The committer
// encodes them: a thousand callers would each grow a stack for it.
type commit struct {
	records []any    // none: a probe
	bodies  [][]byte // JSON objects; the committer puts the id in front
	first   int64
	err     error
	done    chan struct{}
}

// Append writes one record and returns its id. The record encodes to a JSON
// object without an id; {"id":N is put in front of its other members. When ctx
// ends before the record's turn has come, nothing was written.
func (l *Log) Append(ctx context.Context, record any) (int64, error) {
	return l.AppendAll(ctx, []any{record})
}

// AppendAll writes records with ids in a row, all or none, and returns the first id.
func (l *Log) AppendAll(ctx context.Context, records []any) (int64, error) {
	if len(records) == 0 {
		return 0, nil
	}
	return l.wait(ctx, &commit{records: records, done: make(chan struct{})})
}

// Probe tells whether an append would succeed; it leaves nothing in the file.
func (l *Log) Probe() error {
	_, err := l.wait(context.Background(), &commit{done: make(chan struct{})})
	return err
}

func (l *Log) wait(ctx context.Context, c *commit) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, fault.Wrap(fault.Unavailable, err, "append to log %s was given up", l.path)
	}
	if err := l.enqueue(c); err != nil {
		return 0, err
	}
	select {
	case <-c.done:
	case <-ctx.Done():
		if l.withdraw(c) {
			return 0, fault.Wrap(fault.Unavailable, ctx.Err(), "append to log %s was given up", l.path)
		}
		<-c.done // its write is under way: only that tells what became of it
	}
	return c.first, c.err
}

// encode makes the bodies. A record that panics is its caller's failure and not
// the committer's.
func (c *commit) encode() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New(fault.Internal, "log record cannot be encoded: %v", p)
		}
	}()
	c.bodies = make([][]byte, len(c.records))
	for i, r := range c.records {
		body, err := encode(r)
		if err != nil {
			return err
		}
		c.bodies[i] = body
	}
	return nil
}

// encode makes the body of a line: a JSON object, one line by JSON's own rules.
func encode(record any) (body []byte, err error) {
	if m, ok := record.(json.Marshaler); ok {
		body, err = m.MarshalJSON() // json.Marshal would read all of it once more
	} else {
		body, err = json.Marshal(record)
	}
	if err == nil && (len(body) == 0 || bytes.IndexByte(body, '\n') >= 0) {
		err = errors.New("not one line")
	}
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err, "log record cannot be encoded")
	}
	if body[0] != '{' {
		return nil, fault.New(fault.Internal, "log record is no JSON object")
	}
	if len(body) > maxLine-len(`{"id":9007199254740991,`) {
		return nil, fault.New(fault.TooLarge, "log record of %d bytes is too long", len(body))
	}
	return body, nil
}

func (l *Log) enqueue(c *commit) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return fault.Wrap(fault.Unavailable, os.ErrClosed, "log %s is closed", l.path)
	}
	l.waiting = append(l.waiting, c)
	l.nudge()
	return nil
}

// withdraw takes c back if the committer has not taken it yet.
func (l *Log) withdraw(c *commit) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.waiting, c)
	if i < 0 {
		return false
	}
	l.waiting = slices.Delete(l.waiting, i, i+1)
	return true
}

func (l *Log) nudge() {
	select {
	case l.wake <- struct{}{}:
	default: // a token is there already
	}
}

// run is the one goroutine that writes. It takes all that waits at once, so
// that a storm shares fsyncs and one caller alone waits for one.
func (l *Log) run() {
	defer close(l.done)
	for range l.wake {
		l.mu.Lock()
		batch, closed := l.waiting, l.closed
		l.waiting = nil
		l.mu.Unlock()
		if len(batch) > 0 {
			l.commit(batch)
		}
		if closed {
			return // enqueue refuses since closed was set: batch was the last
		}
	}
}

func (l *Log) commit(all []*commit) {
	batch := all[:0:0]
	for _, c := range all {
		if c.err = c.encode(); c.err != nil {
			close(c.done)
			continue
		}
		batch = append(batch, c)
	}
	if len(batch) == 0 {
		return
	}
	lines, err := l.flush(batch)
	if err == nil && l.committed != nil {
		for id := batch[0].first; len(lines) > 0; id++ {
			line, rest, _ := bytes.Cut(lines, []byte{'\n'})
			l.committed(id, bytes.Clone(line))
			lines = rest
		}
	}
	for _, c := range batch {
		if err != nil {
			c.first, c.err = 0, err
		}
		close(c.done)
	}
}
