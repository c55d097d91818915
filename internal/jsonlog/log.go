// Package jsonlog owns append-only files of JSON objects, one a line, whose
// ids rise by one. An append is on disk when it returns; all that wait share
// one write and one fsync. It never rotates, truncates or rewrites what an
// earlier run left: lines that are no records are kept and passed over.
package jsonlog

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"ipxe-all-ready/internal/atomicfile"
	"ipxe-all-ready/internal/fault"
)

// Options of a Log. The zero value is good.
type Options struct {
	// Found, if set, is called by Open for every record in the file, in order.
	// The line is only valid during the call.
	Found func(id int64, line []byte)
	// Committed, if set, is called for every new record once it is on disk, in
	// order, from one goroutine. It must not block nor append.
	Committed func(id int64, line json.RawMessage)
	// May, if set, is asked before the file is made and before each write; what it
	// answers but nil refuses all that waited for it.
	May func() error
	// Above is an id that new ones are above, whatever the file holds: that of
	// the file whose place this one has taken.
	Above int64
}

// Log is one open file. It is safe for concurrent use.
type Log struct {
	path      string
	file      *os.File
	write     func([]byte) (int, error) // a field, so that a test can fill the disk
	committed func(id int64, line json.RawMessage)
	may       func() error

	mu      sync.Mutex // guards what follows; held for memory only, never for I/O
	waiting []*commit
	closed  bool
	index   index

	wake chan struct{} // one token: something waits, or the log was closed
	done chan struct{} // closed when the committer has ended
}

// Open opens or creates the file, reads its index and starts the committer,
// which ends with Close.
func Open(path string, o Options) (*Log, error) {
	if o.May == nil {
		o.May = func() error { return nil }
	}
	if err := o.May(); err != nil {
		return nil, err
	}
	if err := atomicfile.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, ioFault(err, "log %s cannot be created", path)
	}
	info, statErr := os.Stat(path)
	if statErr == nil && !info.Mode().IsRegular() {
		return nil, fault.New(fault.Unavailable, "log %s is not a regular file", path)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND|syscall.O_NONBLOCK, 0o640)
	if err != nil {
		return nil, ioFault(err, "log %s cannot be opened", path)
	}
	l := &Log{path: path, file: file, write: file.Write, committed: o.Committed, may: o.May,
		wake: make(chan struct{}, 1), done: make(chan struct{})}
	if err := l.load(errors.Is(statErr, fs.ErrNotExist), o.Found); err != nil {
		file.Close()
		return nil, err
	}
	l.index.top = max(l.index.top, o.Above)
	go l.run()
	return l, nil
}

func (l *Log) load(created bool, found func(int64, []byte)) error {
	if created {
		if err := syncFolder(filepath.Dir(l.path)); err != nil {
			return ioFault(err, "log %s cannot be created", l.path)
		}
	}
	info, err := l.file.Stat()
	if err != nil {
		return ioFault(err, "log %s cannot be read", l.path)
	}
	if !info.Mode().IsRegular() {
		return fault.New(fault.Unavailable, "log %s is not a regular file", l.path)
	}
	if err := l.index.extend(l.file, info.Size(), found); err != nil {
		return ioFault(err, "log %s cannot be read", l.path)
	}
	return nil
}

// Last is the highest id so far; 0 when there is none.
func (l *Log) Last() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.index.top
}

// Moved reports whether the log's name leads to another file by now, or to
// none: somebody rotated it.
func (l *Log) Moved() bool {
	ours, err := l.file.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(l.path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, ours)
}

// Close waits for the appends under way and closes the file. Later appends
// and reads fail.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		<-l.done
		return nil
	}
	l.closed = true
	l.mu.Unlock()
	l.nudge()
	<-l.done
	return l.file.Close()
}

func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// ioFault is NoSpace for a full disk or quota, else Unavailable.
func ioFault(err error, format string, args ...any) error {
	kind := fault.Unavailable
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		kind = fault.NoSpace
	}
	return fault.Wrap(kind, err, format, args...)
}
