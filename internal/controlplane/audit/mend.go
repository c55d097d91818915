package audit

import (
	"context"
	"errors"
	"os"
	"strings"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/jsonlog"
)

// mostOwed bounds what is remembered while the file cannot be written. No
// change begins meanwhile, so that only those under way add to it.
const mostOwed = 10_000

// Ready is nil while entries can be written. After a fault it opens the file
// and writes what is owed, or tries whether it could write; while one caller
// does so the others are told the last fault, so that a storm of machines does
// not queue up at a full disk.
func (l *Log) Ready() error {
	last := l.hurt.Load()
	if last == nil {
		return nil
	}
	if !l.mending.TryLock() {
		return last
	}
	defer l.mending.Unlock()
	return l.mend()
}

func (l *Log) mend() error {
	lines, err := l.file()
	if err != nil {
		return l.suffer(err)
	}
	l.mu.Lock()
	owed := make([]any, len(l.owed))
	for i, e := range l.owed {
		owed[i] = e
	}
	l.mu.Unlock()
	if len(owed) > 0 {
		_, err = lines.AppendAll(context.Background(), owed)
	} else {
		err = lines.Probe()
	}
	if err != nil {
		return l.suffer(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.owed = l.owed[len(owed):]; len(l.owed) == 0 {
		l.owed = nil
		l.hurt.Store(nil)
	}
	return nil
}

// file is the open file, opened now if it is not yet; what was found without
// an end is owed from then on. The caller is the one who mends.
func (l *Log) file() (*jsonlog.Log, error) {
	if lines := l.lines.Load(); lines != nil {
		return lines, nil
	}
	l.mu.Lock()
	closed := l.closed
	l.mu.Unlock()
	if closed {
		return nil, os.ErrClosed
	}
	var u unended
	lines, err := jsonlog.Open(l.path, jsonlog.Options{Found: u.found, Committed: l.o.Committed, May: l.o.May})
	if err != nil {
		return nil, err
	}
	ends, err := l.interrupted(lines, u.ids())
	if err != nil {
		lines.Close()
		return nil, err
	}
	l.mu.Lock()
	l.owed = append(ends, l.owed...)
	l.mu.Unlock()
	l.lines.Store(lines)
	return lines, nil
}

// opened is the file to read, whether or not it can be written.
func (l *Log) opened() (*jsonlog.Log, error) {
	for {
		if lines := l.lines.Load(); lines != nil {
			return lines, nil
		}
		if err := l.Ready(); err != nil && l.lines.Load() == nil {
			return nil, err
		}
	}
}

// append writes one entry, after what is owed.
func (l *Log) append(ctx context.Context, e entry) (id int64, err error) {
	if err := l.Ready(); err != nil {
		return 0, err
	}
	if id, err = l.lines.Load().Append(ctx, e); err != nil && ctx.Err() == nil {
		err = l.suffer(err)
	}
	return id, err
}

// happened writes what was done already: the end of ctx does not keep it out
// of the trail, and a file that cannot be written only puts it off.
func (l *Log) happened(ctx context.Context, e entry) error {
	_, err := l.append(context.WithoutCancel(ctx), e)
	if k := fault.KindOf(err); err != nil && (k == fault.Unavailable || k == fault.NoSpace) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if len(l.owed) < mostOwed {
			l.owed = append(l.owed, e)
		}
		l.hurt.Store(fault.As(err)) // or nobody would write it, where the file has healed meanwhile
	}
	return err
}

// suffer notes that the file cannot be had, and says so and why. An entry that
// cannot be encoded is no fault of the file.
func (l *Log) suffer(err error) error {
	f := fault.As(err)
	switch {
	case f == nil:
		f = fault.Wrap(fault.Unavailable, err, "log %s cannot be used", l.path)
	case f.Kind != fault.Unavailable && f.Kind != fault.NoSpace:
		return err
	}
	told := *f
	if what, ours := strings.CutPrefix(f.Text, "log "); ours { // what May said is whole
		told.Text = "the audit trail " + what
		if cause := plain(f.Err); cause != "" {
			told.Text += ": " + cause
		}
	}
	l.hurt.Store(&told)
	return &told
}

// plain is what the system said, without the path that the sentence has.
func plain(err error) string {
	var path *os.PathError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &path):
		return path.Err.Error()
	}
	return err.Error()
}
