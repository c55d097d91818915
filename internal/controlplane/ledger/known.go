package ledger

import (
	"bytes"
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
// that a site can be moved. The file stands beside agents.yml too, with the same
// names: that one counts where the folder of workers.yml has become an empty one.
const markerName = ".known-files.json"

type marker struct {
	path  string
	twin  string // beside agents.yml; "": that is the same folder
	log   *slog.Logger
	may   func() error // Options.May
	noted map[string]bool
	only  bool // the twin is all that is left
}

type markerFile struct {
	Schema int      `json:"schema"`
	Files  []string `json:"files"`
}

var errNewer = errors.New("a newer program wrote it")

func newMarker(o Options) *marker {
	m := &marker{path: filepath.Join(filepath.Dir(o.WorkersFile), markerName), log: o.Log, may: o.May, noted: map[string]bool{}}
	if twin := filepath.Join(filepath.Dir(o.AgentsFile), markerName); twin != m.path {
		m.twin = twin
	}
	return m
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
	if len(names) > 0 && !m.only {
		m.writeTwin(names)
	}
}

// writeTwin keeps the names beside agents.yml. A folder that takes no file is
// none of our ledgers' trouble.
func (m *marker) writeTwin(names []string) {
	if m.twin == "" {
		return
	}
	content, err := json.Marshal(markerFile{schemaVersion, names})
	if err != nil {
		return
	}
	content = append(content, '\n')
	if old, err := atomicfile.ReadFile(m.twin, maxLedger); err == nil && bytes.Equal(old, content) {
		return
	}
	if err := m.write(m.twin, content); err != nil {
		m.log.Warn("which ledgers there are is noted beside workers.yml alone", "file", m.twin, "err", err)
	}
}

func (m *marker) write(path string, content []byte) error {
	if err := m.may(); err != nil {
		return err
	}
	return atomicfile.Write(path, 0o644, content)
}

// read falls back to the twin where the marker is gone.
func (m *marker) read() ([]string, error) {
	content, err := atomicfile.ReadFile(m.path, maxLedger)
	if m.only = errors.Is(err, fs.ErrNotExist) && m.twin != ""; m.only {
		content, err = atomicfile.ReadFile(m.twin, maxLedger)
	}
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
	all = slices.Compact(all)
	content, err := json.Marshal(markerFile{schemaVersion, all})
	if err == nil {
		err = m.write(m.path, append(content, '\n'))
	}
	if err != nil {
		m.log.Error("which ledgers there are is not noted; it is tried again", "file", m.path, "err", err)
		return
	}
	m.writeTwin(all)
	for _, name := range fresh {
		m.noted[name] = true
	}
}
