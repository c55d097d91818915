package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"

	"ipxe-all-ready/internal/atomicfile"
)

// markerName is the file beside workers.yml that keeps which ledgers a site has:
//
//	{"schema": 1, "files": ["../config/agents.yml", "workers.yml"]}
//
// Without it a ledger that was lost while nobody looked would be an empty one:
// every machine would be registered anew. Names are seen from its folder, so
// that a site can be moved.
const markerName = ".known-files.json"

type marker struct {
	path  string
	log   *slog.Logger
	noted map[string]bool
}

type markerFile struct {
	Schema int      `json:"schema"`
	Files  []string `json:"files"`
}

var errNewer = errors.New("a newer program wrote it")

func newMarker(o Options) *marker {
	return &marker{path: filepath.Join(filepath.Dir(o.WorkersFile), markerName), log: o.Log, noted: map[string]bool{}}
}

// open reads the marker. One that cannot be read is begun anew.
func (m *marker) open() {
	names, err := m.read()
	if err != nil {
		m.log.Error("which ledgers there were is forgotten", "file", m.path, "err", err)
	}
	for _, name := range names {
		m.noted[name] = true
	}
}

func (m *marker) read() ([]string, error) {
	content, err := atomicfile.ReadFile(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var f markerFile
	if err := json.Unmarshal(content, &f); err != nil {
		return nil, err
	}
	if f.Schema > schemaVersion {
		return nil, fmt.Errorf("%w: schema %d, and this program knows %d", errNewer, f.Schema, schemaVersion)
	}
	return f.Files, nil
}

// name is path as the marker has it.
func (m *marker) name(path string) string {
	if rel, err := filepath.Rel(filepath.Dir(m.path), path); err == nil {
		return rel
	}
	return path
}

func (m *marker) knows(path string) bool { return m.noted[m.name(path)] }

// note enters those of the files that stand and were read. What a person took
// out of the marker meanwhile is not put back with a file that is new in it.
func (m *marker) note(sources []*source) {
	var fresh []string
	for _, s := range sources {
		if s.known.exists && s.broken == nil && !m.knows(s.path) {
			fresh = append(fresh, m.name(s.path))
		}
	}
	if len(fresh) == 0 {
		return
	}
	all, err := m.read()
	if errors.Is(err, errNewer) {
		return // open has told; a newer program will want what it wrote
	}
	all = append(all, fresh...)
	slices.Sort(all)
	content, err := json.Marshal(markerFile{schemaVersion, slices.Compact(all)})
	if err == nil {
		err = atomicfile.Write(m.path, 0o644, append(content, '\n'))
	}
	if err != nil {
		m.log.Error("which ledgers there are is not noted; it is tried again", "file", m.path, "err", err)
		return
	}
	for _, name := range fresh {
		m.noted[name] = true
	}
}
