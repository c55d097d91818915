package jsonlog

import (
	"bytes"
	"encoding/json"
	"io"
)

// A block is sealed at the first line end behind either mark.
const (
	blockLines = 512
	blockBytes = 64 << 10
)

// block is a run of whole lines.
type block struct {
	off, end int64
	top      int64 // the highest id at or before end; never falls from block to block
	lines    int
}

// index knows where to read for an id without holding the records.
type index struct {
	sealed []block // never changed, only appended to: readers share it
	open   block
	size   int64 // bytes of the file that are indexed
	top    int64 // the highest id
	torn   bool  // the last line has no end
	long   bool  // the last line is longer than maxLine and still goes on
}

// extend indexes the file from where the index ends, a line's start, up to
// size. found, if set, hears of every record.
func (x *index) extend(r io.ReaderAt, size int64, found func(int64, []byte)) error {
	buf := make([]byte, maxLine)
	have := 0 // bytes of an unfinished line at the start of buf
	for at := x.size; at < size; {
		n, err := r.ReadAt(buf[have:min(int64(len(buf)), int64(have)+size-at)], at)
		if err != nil && n == 0 {
			return err
		}
		at += int64(n)
		have += n
		used := x.scan(buf[:have], found)
		if used == 0 && have == len(buf) {
			x.long = true
			used = x.scan(buf, found)
		}
		have = copy(buf, buf[used:have])
	}
	x.finish(buf[:have], found)
	return nil
}

// scan indexes the whole lines of data and returns how many bytes they take.
func (x *index) scan(data []byte, found func(int64, []byte)) (used int) {
	for used < len(data) {
		n := bytes.IndexByte(data[used:], '\n') + 1
		switch {
		case x.long && n == 0:
			x.skip(len(data) - used)
			return len(data)
		case n == 0:
			return used
		case x.long:
			x.skip(n)
			x.long, x.torn = false, false
		default:
			x.line(data[used:used+n], found)
			x.torn = false
		}
		used += n
	}
	return used
}

// finish indexes a last line without an end. It counts only if it is whole: a
// torn one was never acknowledged, and its id is given again.
func (x *index) finish(line []byte, found func(int64, []byte)) {
	if len(line) == 0 {
		return
	}
	x.torn = true
	if json.Valid(line) {
		x.line(line, found)
		return
	}
	x.grow(len(line))
}

func (x *index) line(line []byte, found func(int64, []byte)) {
	if id, ok := recordID(line); ok {
		x.top = max(x.top, id)
		if found != nil {
			found(id, bytes.TrimRight(line, "\r\n"))
		}
	}
	x.grow(len(line))
}

// grow adds a line of n bytes to the open block.
func (x *index) grow(n int) {
	if x.open.lines >= blockLines || x.open.end-x.open.off >= blockBytes {
		x.seal()
	}
	x.size += int64(n)
	x.open.end, x.open.top, x.open.lines = x.size, x.top, x.open.lines+1
}

// skip passes over n bytes of a line too long to be a record: no block has it.
func (x *index) skip(n int) {
	x.seal()
	x.size += int64(n)
	x.open.off, x.open.end, x.torn = x.size, x.size, true
}

func (x *index) seal() {
	if x.open.lines > 0 {
		x.sealed = append(x.sealed, x.open)
	}
	x.open = block{off: x.size, end: x.size, top: x.top}
}
