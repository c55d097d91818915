package ledger

import (
	"bytes"
	"fmt"
	"os"

	"gopkg.in/yaml.v3"

	"ipxe-all-ready/internal/atomicfile"
)

// format is which schema the ledgers have, and how older ones become it. A
// ledger without a schema is the original's: it is read as it is, and becomes
// ours with our first write to it. One that names an older schema is written
// anew at the start. What stood before is kept beside it.
type format struct {
	version int
	rows    map[string][]raising // by the ledger's key; the i-th leads from schema i to i+1
}

// raising brings one row to the next schema; false: there was nothing to do.
type raising func(row *yaml.Node) bool

func presentFormat() format {
	return format{version: schemaVersion, rows: map[string][]raising{"workers": {singleDisk}}}
}

// singleDisk makes a list of the one disk that the original's first ledgers had.
func singleDisk(row *yaml.Node) bool {
	one := lookup(row, "disk")
	if row.Kind != yaml.MappingNode || one == nil {
		return false
	}
	if list := lookup(row, "disks"); !isNull(one) && (isNull(list) || len(list.Content) == 0) {
		drop(row, "disks")
		for i := 0; i+1 < len(row.Content); i += 2 {
			if row.Content[i+1] == one { // in its place, with its comments
				row.Content[i].Value = "disks"
				row.Content[i+1] = &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{one}}
			}
		}
		return true
	}
	drop(row, "disk") // it says nothing beside a list
	return true
}

// raise applies the steps that lead from a schema to the present one.
func (f format) raise(key string, from int, row *yaml.Node) (changed bool) {
	steps := f.rows[key]
	for _, step := range steps[min(from, len(steps)):] {
		changed = step(row) || changed
	}
	return changed
}

// raiseRows brings those rows of a sheet that need it to the present schema.
func (d *document) raiseRows(s *sheet) error {
	if d.schema >= d.format.version {
		return nil
	}
	for i, r := range s.rows {
		changed := false
		text, err := s.rowText(r.id, func(m *yaml.Node) { changed = d.format.raise(s.key, d.schema, m) })
		if err != nil {
			return err
		}
		if changed {
			s.rows[i].text = text
		}
	}
	return nil
}

// raise writes those ledgers anew, at the start, that name an older schema.
func (b *book) raise() {
	for s, sh := range map[*source]*sheet{&b.files.workers: b.workerSheet, &b.files.agents: b.agentSheet} {
		if s.older == nil || s.schema == 0 || s.broken != nil {
			continue
		}
		from := s.schema
		if err := s.replace(0o600, sh.writeTo); err != nil {
			b.o.Log.Error("ledger stays in its older schema for now", "file", s.path, "schema", from, "err", err)
			s.stale = false
			continue // it reads as well, and is written with the next change
		}
		b.o.Log.Info("ledger is in the present schema now; what stood before is beside it", "file", s.path, "was", from, "is", b.o.format.version)
	}
}

// keepOlder puts what stood in an older schema beside the ledger, before the
// ledger is written over. Done twice, as after a crash in between, it is once.
func (s *source) keepOlder() error {
	if s.older == nil {
		return nil
	}
	info, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		path := fmt.Sprintf("%s.schema-%d.bak", s.path, s.schema)
		if n > 1 {
			path = fmt.Sprintf("%s.schema-%d.%d.bak", s.path, s.schema, n)
		}
		if err := atomicfile.Sweep(path); err != nil {
			return err
		}
		if kept, err := atomicfile.ReadFile(path, maxLedger); err == nil {
			if bytes.Equal(kept, s.older) {
				return nil
			}
			continue // of another time
		}
		return atomicfile.Write(path, info.Mode().Perm(), s.older)
	}
}
