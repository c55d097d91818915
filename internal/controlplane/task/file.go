package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"

	"ipxe-all-ready/internal/atomicfile"
)

// schema is of both files.
const schema = 1

// mostBytes is what either may hold.
const mostBytes = 256 << 20

// file is one of the registry's, which is written whole.
type file struct {
	path    string // "": in memory only
	log     *slog.Logger
	may     func() error
	version atomic.Uint64 // of what has to be on disk; it is raised after the change

	saving sync.Mutex
	saved  uint64 // guarded by saving
}

// load reads the file into v. One that cannot be read is begun anew, as no
// ledger is in it.
func (f *file) load(v any) error {
	if f.path == "" {
		return nil
	}
	if err := atomicfile.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
		return fmt.Errorf("open tasks: %w", err)
	}
	if err := atomicfile.Sweep(f.path); err != nil {
		return fmt.Errorf("open tasks: %w", err)
	}
	err := read(f.path, v)
	switch {
	case errors.Is(err, errNewer):
		f.log.Error("tasks are kept in memory alone: a newer program wrote the file, and it is left as it is",
			"file", f.path, "error", err)
		f.path = ""
	case err != nil:
		f.log.Error("what earlier tasks wrote is forgotten", "file", f.path, "error", err)
	}
	return nil
}

var errNewer = errors.New("a newer program wrote it")

// read reads a file into v; one that is not there is as good as empty.
func read(path string, v any) error {
	content, err := atomicfile.ReadFile(path, mostBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	head := struct {
		Schema int `json:"schema"`
	}{}
	if err := json.Unmarshal(content, &head); err != nil {
		return err
	}
	if head.Schema > schema {
		return fmt.Errorf("%w: schema %d, and this program knows %d", errNewer, head.Schema, schema)
	}
	return json.Unmarshal(content, v)
}

// save puts what has changed on disk. Many that come together cost one or two
// writes: who finds his change saved by another goes on. A task does not fail
// because this could not be written.
func (f *file) save(encode func() ([]byte, error)) {
	if f.path == "" {
		return
	}
	want := f.version.Load()
	f.saving.Lock()
	defer f.saving.Unlock()
	if f.saved >= want {
		return
	}
	version := f.version.Load()
	err := f.may()
	if err == nil {
		err = f.write(encode)
	}
	if err != nil {
		f.log.Error("tasks not written", "file", f.path, "error", err)
		return
	}
	f.saved = version
}

func (f *file) write(encode func() ([]byte, error)) error {
	content, err := encode()
	if err != nil {
		return err
	}
	return atomicfile.Write(f.path, 0o644, append(content, '\n'))
}
