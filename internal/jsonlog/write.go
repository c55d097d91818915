package jsonlog

import "strconv"

// flush writes the batch behind what the file holds and indexes it. Only this
// goroutine changes the index, so it reads it without the lock.
func (l *Log) flush(batch []*commit) (lines []byte, err error) {
	if err := l.may(); err != nil {
		return nil, err
	}
	if err := l.catchUp(); err != nil {
		return nil, err
	}
	start := l.index.size
	var buf []byte
	if l.index.torn {
		buf = append(buf, '\n') // or the torn line would swallow the next record
	}
	head := len(buf)
	id := l.index.top
	for _, c := range batch {
		c.first = id + 1
		for _, body := range c.bodies {
			id++
			buf = appendLine(buf, id, body)
		}
	}
	probe := id == l.index.top
	if probe {
		buf = append(buf, '\n') // no record, should it stay
	}
	_, err = l.write(buf)
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil || probe {
		l.retract(start)
	}
	switch {
	case err != nil:
		return nil, ioFault(err, "log %s cannot be written", l.path)
	case probe:
		return nil, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.index.scan(buf, nil)
	return buf[head:], nil
}

// catchUp indexes the file anew when it is not as we left it: a person wrote
// to it, or a failed batch could not be taken away. Ids never fall back.
func (l *Log) catchUp() error {
	info, err := l.file.Stat()
	if err != nil {
		return ioFault(err, "log %s cannot be read", l.path)
	}
	if info.Size() == l.index.size {
		return nil
	}
	fresh := index{}
	if err := fresh.extend(l.file, info.Size(), nil); err != nil {
		return ioFault(err, "log %s cannot be read", l.path)
	}
	fresh.top = max(fresh.top, l.index.top)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.index = fresh
	return nil
}

// retract takes the written part of a failed batch away again, so that no half
// line and no record that was refused stays. Should that fail too, catchUp
// finds the rest before the next write. So it stays where another may write by
// now: what he has appended would go with it.
func (l *Log) retract(size int64) {
	if l.may() == nil && l.file.Truncate(size) == nil {
		_ = l.file.Sync() // the next append's fsync covers it otherwise
	}
}

func appendLine(buf []byte, id int64, body []byte) []byte {
	buf = strconv.AppendInt(append(buf, `{"id":`...), id, 10)
	if len(body) > len("{}") {
		buf = append(buf, ',')
	}
	return append(append(buf, body[1:]...), '\n')
}
