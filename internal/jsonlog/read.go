package jsonlog

import (
	"bytes"
	"encoding/json"
	"slices"
	"sort"
)

// Filter chooses records. The zero value takes all.
type Filter struct {
	// Contains are texts that every wanted line holds somewhere. They are
	// looked for in whole blocks first, so that a rare record in a long file
	// is found at the speed of memory.
	Contains [][]byte
	// Keep, if set, decides on a line; it is only valid during the call.
	Keep func(line json.RawMessage) bool
}

func (f Filter) mayHold(data []byte) bool {
	for _, text := range f.Contains {
		if !bytes.Contains(data, text) {
			return false
		}
	}
	return true
}

// view is the index as it stood at one instant; it needs no lock.
type view struct {
	log    *Log
	sealed []block
	open   block
	buf    []byte
}

func (l *Log) view() *view {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &view{log: l, sealed: l.index.sealed, open: l.index.open}
}

func (v *view) count() int { return len(v.sealed) + 1 }

func (v *view) block(i int) block {
	if i < len(v.sealed) {
		return v.sealed[i]
	}
	return v.open
}

// firstWith is the first block that may hold an id of at least id.
func (v *view) firstWith(id int64) int {
	return sort.Search(v.count()-1, func(i int) bool { return v.block(i).top >= id })
}

// Read returns up to limit records with ids above since, in the file's order,
// and the last of their ids, since when there are none.
func (l *Log) Read(since int64, limit int, f Filter) (entries []json.RawMessage, next int64, err error) {
	v, next := l.view(), since
	for i := v.firstWith(since + 1); i < v.count() && len(entries) < limit; i++ {
		err := v.each(i, f, func(id int64, line []byte) {
			if id > since && len(entries) < limit {
				entries = append(entries, bytes.Clone(line))
				next = id
			}
		})
		if err != nil {
			return nil, since, err
		}
	}
	return entries, next, nil
}

// Tail returns the newest n records, the oldest of them first.
func (l *Log) Tail(n int, f Filter) ([]json.RawMessage, error) { return l.Before(maxID+1, n, f) }

// Before returns the newest n records with ids below id, the oldest of them first.
func (l *Log) Before(id int64, n int, f Filter) ([]json.RawMessage, error) {
	v := l.view()
	var newest [][]json.RawMessage // block by block, from the end
	have := 0
	for i := v.firstWith(id); i >= 0 && have < n; i-- {
		var found []json.RawMessage
		err := v.each(i, f, func(at int64, line []byte) {
			if at < id {
				found = append(found, bytes.Clone(line))
			}
		})
		if err != nil {
			return nil, err
		}
		found = found[max(0, len(found)-(n-have)):]
		have += len(found)
		newest = append(newest, found)
	}
	slices.Reverse(newest)
	return slices.Concat(newest...), nil
}

// each calls visit for the records of one block that the filter keeps. The
// line is only valid during the call.
func (v *view) each(i int, f Filter, visit func(id int64, line []byte)) error {
	b := v.block(i)
	v.buf = slices.Grow(v.buf[:0], int(b.end-b.off))[:b.end-b.off]
	if _, err := v.log.file.ReadAt(v.buf, b.off); err != nil && len(v.buf) > 0 {
		return ioFault(err, "log %s cannot be read", v.log.path)
	}
	if !f.mayHold(v.buf) {
		return nil
	}
	for line := range bytes.Lines(v.buf) {
		line = bytes.TrimRight(line, "\r\n")
		id, ok := recordID(line)
		if !ok || !f.mayHold(line) || !json.Valid(line) || f.Keep != nil && !f.Keep(line) {
			continue
		}
		visit(id, line)
	}
	return nil
}
