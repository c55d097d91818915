package jsonlog

import (
	"bytes"
	"encoding/json"
)

// maxID keeps ids whole in a browser's numbers. A line above it is no record.
const maxID = 1<<53 - 1

var idPrefix = []byte(`{"id":`)

// recordID is the id of a line, found in its first bytes where we wrote it:
//
//	{"id":17,"ts":"2026-07-01T08:00:00.000Z","op":"create_worker","status":"started"}
//
// A line by another hand may have it anywhere. ok is false for anything that
// is no JSON object with an id; of our own form only the two ends are looked
// at, since Open reads a million of them.
func recordID(line []byte) (id int64, ok bool) {
	line = bytes.TrimRight(line, "\r\n")
	if len(line) < len(`{"id":1}`) || line[0] != '{' {
		return 0, false
	}
	if id, ok = leadingID(line); ok {
		return id, line[len(line)-1] == '}'
	}
	if !bytes.Contains(line, []byte(`"id"`)) {
		return 0, false
	}
	var r struct {
		ID int64 `json:"id"`
	}
	if json.Unmarshal(line, &r) != nil || r.ID < 1 || r.ID > maxID {
		return 0, false
	}
	return r.ID, true
}

func leadingID(line []byte) (id int64, ok bool) {
	if !bytes.HasPrefix(line, idPrefix) {
		return 0, false
	}
	i := len(idPrefix)
	if line[i] == ' ' { // Python's spacing
		i++
	}
	start := i
	for ; i < len(line) && '0' <= line[i] && line[i] <= '9'; i++ {
		if id = id*10 + int64(line[i]-'0'); id > maxID {
			return 0, false
		}
	}
	ok = i > start && i < len(line) && (line[i] == ',' || line[i] == '}') && id > 0
	return id, ok
}
