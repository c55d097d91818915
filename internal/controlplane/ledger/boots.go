package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"
	"time"

	"ipxe-all-ready/internal/atomicfile"
	"ipxe-all-ready/internal/netboot"
)

// flushEvery is how often last_boot_at reaches the disk; a crash forgets as much.
const flushEvery = 30 * time.Second

// boots is boots.json, when each worker last asked for its boot script:
//
//	{"schema": 1, "boots": {"worker-01": "2026-07-01T10:00:00Z"}}
//
// It is a convenience: a file that cannot be read is begun anew.
type boots struct {
	path  string
	dirty atomic.Bool
	marks atomic.Uint64 // since the start
	newer bool          // than this program: it is left alone
}

type bootsFile struct {
	Schema int                  `json:"schema"`
	Boots  map[string]time.Time `json:"boots"`
}

// rowsChanged has the file written anew: the next worker of a name that is gone
// would have the time of the one before after a restart.
func (b *boots) rowsChanged() { b.dirty.Store(true) }

// load puts the stored times into workers.
func (b *boots) load(workers index[netboot.WorkerID, *Worker]) error {
	if b.path == "" {
		return nil
	}
	content, err := atomicfile.ReadFile(b.path, maxLedger)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var f bootsFile
	if err == nil {
		err = json.Unmarshal(content, &f)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", b.path, err)
	}
	if b.newer = f.Schema > schemaVersion; b.newer {
		return fmt.Errorf("%s is left alone: schema %d is newer than this program, which knows %d", b.path, f.Schema, schemaVersion)
	}
	for name, at := range f.Boots {
		id, err := netboot.ParseWorkerID(name)
		if err != nil {
			continue
		}
		if w, ok := workers.get(id); ok {
			w.life.booted.Store(at.UnixNano())
		}
	}
	return nil
}

// flush writes the times when one, or whose they are, has changed since the last flush.
func (b *boots) flush(workers index[netboot.WorkerID, *Worker]) error {
	if b.path == "" || b.newer || !b.dirty.Swap(false) {
		return nil
	}
	f := bootsFile{Schema: schemaVersion, Boots: map[string]time.Time{}}
	for id, w := range workers.all() {
		if at := w.life.booted.Load(); at != 0 {
			f.Boots[id.String()] = time.Unix(0, at).UTC()
		}
	}
	content, err := json.Marshal(f)
	if err == nil {
		err = atomicfile.Write(b.path, 0o644, append(content, '\n'))
	}
	if err != nil {
		b.dirty.Store(true)
		return fmt.Errorf("write last boots: %w", err)
	}
	return nil
}
