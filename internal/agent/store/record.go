package store

import (
	"encoding/json"
	"errors"
	"io/fs"

	"ipxe-all-ready/internal/atomicfile"
	"ipxe-all-ready/internal/fault"
)

// record is what is kept outside of the image folder.
//
//	{"schema":1,"folders":{"/srv/images":"JQ5XK2…"}}
type record struct {
	Schema  int               `json:"schema"`
	Folders map[string]string `json:"folders"` // the mark of each by its path
}

// mostRecord is what the file may hold, in bytes; a node has had few folders.
const mostRecord = 16 << 20

func readRecord(path string) (record, error) {
	r := record{Schema: 1, Folders: map[string]string{}}
	text, err := atomicfile.ReadFile(path, mostRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, fault.Wrap(fault.Unavailable, err, "%s cannot be read: %s", path, cause(err))
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fault.Wrap(fault.Unavailable, err, "%s is broken, mend or remove it: %v", path, err)
	}
	if r.Schema != 1 {
		return r, fault.New(fault.Unavailable, "%s has schema %d, this agent reads 1", path, r.Schema)
	}
	return r, nil
}

// keep writes that the folder dir has a mark, unless that is known.
func (r record) keep(path, dir, mark string) error {
	if r.Folders[dir] == mark {
		return nil
	}
	if r.Folders == nil { // "folders":null
		r.Folders = map[string]string{}
	}
	r.Folders[dir] = mark
	text, err := json.Marshal(r)
	if err == nil {
		err = atomicfile.Write(path, 0o640, append(text, '\n'))
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "what is known of the image folder cannot be kept in %s: %s", path, cause(err))
	}
	return nil
}
