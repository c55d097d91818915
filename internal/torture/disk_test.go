//go:build integration

package torture

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// disk is a model of a file system with a volatile cache. What a program wrote
// reaches the medium by fsync: of a file its bytes, of a folder its names. All
// else may have reached it when the power goes, or not: see powerCut.
//
// It grants what journalling file systems do and no more: names of one folder
// reach the medium in their order, a rename as a whole, a sector of a file as a
// whole. The bytes of a file may come in any order, and after its name.
type disk struct {
	names   map[string]*inode // by path; what the program sees
	folders map[string]*folder
}

// inode is a file or, with no bytes, a folder.
type inode struct {
	dir     bool
	now     []byte   // what the program sees
	durable []byte   // what the medium has
	pending []change // of the bytes, since the last fsync
}

type change struct {
	at   int64
	data []byte // nil: the length becomes at
}

// folder is the names in one folder.
type folder struct {
	durable map[string]*inode
	pending []entry
}

// entry is a change of names that is made as a whole.
type entry struct{ set map[string]*inode } // nil: the name goes

func newDisk() *disk {
	return &disk{names: map[string]*inode{"": {dir: true}}, folders: map[string]*folder{"": {durable: map[string]*inode{}}}}
}

// apply makes one step.
func (d *disk) apply(s step) error {
	n := d.names[s.path]
	switch s.kind {
	case "create":
		if n == nil {
			d.link(path.Dir(s.path), map[string]*inode{s.path: {}})
		} else if s.cut {
			n.change(change{})
		}
		return nil
	case "mkdir":
		if n == nil {
			d.link(path.Dir(s.path), map[string]*inode{s.path: {dir: true}})
			d.folders[s.path] = &folder{durable: map[string]*inode{}}
		}
		return nil
	}
	if n == nil && (s.kind == "unlink" || s.kind == "rename") {
		return nil // the call failed
	}
	if n == nil {
		return fmt.Errorf("%s: the model has no such file", s)
	}
	switch s.kind {
	case "write":
		at := s.at
		if at < 0 {
			at = int64(len(n.now))
		}
		n.change(change{at, s.data})
	case "truncate":
		n.change(change{s.size, nil})
	case "unlink":
		d.link(path.Dir(s.path), map[string]*inode{s.path: nil})
	case "rename":
		d.link(path.Dir(s.path), map[string]*inode{s.path: nil, s.to: n})
	case "link":
		d.link(path.Dir(s.path), map[string]*inode{s.to: n})
	case "fsync":
		d.sync(s.path, n)
	}
	return nil
}

// link changes names. Our programs rename within a folder only.
func (d *disk) link(dir string, set map[string]*inode) {
	dir = strings.TrimSuffix(dir, "/")
	for name, n := range set {
		if n == nil {
			delete(d.names, name)
		}
	}
	for name, n := range set {
		if n != nil {
			d.names[name] = n
		}
	}
	d.folders[dir].pending = append(d.folders[dir].pending, entry{set})
}

func (n *inode) change(c change) {
	n.now = c.on(n.now)
	n.pending = append(n.pending, c)
}

func (c change) on(b []byte) []byte {
	end := c.at
	if c.data != nil {
		end = max(int64(len(b)), c.at+int64(len(c.data)))
	}
	out := make([]byte, end)
	copy(out, b)
	copy(out[min(c.at, end):], c.data)
	return out
}

// half makes the first half of a write, until undo; nil: there is none.
func (d *disk) half(s step) (undo func()) {
	n := d.names[s.path]
	if s.kind != "write" || n == nil || len(s.data) < 2 {
		return nil
	}
	was := *n
	at := s.at
	if at < 0 {
		at = int64(len(n.now))
	}
	n.change(change{at, s.data[:len(s.data)/2]})
	return func() { *n = was }
}

func (d *disk) sync(name string, n *inode) {
	if !n.dir {
		n.durable, n.pending = n.now, nil
		return
	}
	f := d.folders[name]
	for _, e := range f.pending {
		f.take(e)
	}
	f.pending = nil
}

func (f *folder) take(e entry) {
	for name, n := range e.set {
		if n == nil {
			delete(f.durable, name)
		} else {
			f.durable[name] = n
		}
	}
}

// cut says how much of what was not flushed reaches the medium.
type cut struct {
	name  string
	names func(pending int) int // of a folder's changes, in their order
	bytes func(n *inode) []byte
}

func all(pending int) int         { return pending }
func none(int) int                { return 0 }
func written(n *inode) []byte     { return n.now }
func flushedOnly(n *inode) []byte { return n.durable }

// cuts are the ways in which the power goes; seed varies the mixed ones.
func cuts(seed uint64) []cut {
	r := rand.New(rand.NewPCG(seed, 7))
	return []cut{
		{"process killed", all, written},
		{"nothing unflushed", none, flushedOnly},
		{"names without bytes", all, flushedOnly},
		{"bytes without names", none, written},
		{"a mix of sectors", func(n int) int { return r.IntN(n + 1) }, func(n *inode) []byte { return n.mixed(r) }},
		{"another mix", func(n int) int { return r.IntN(n + 1) }, func(n *inode) []byte { return n.mixed(r) }},
	}
}

const sector = 512

// mixed has some sectors of what was not flushed, whichever.
func (n *inode) mixed(r *rand.Rand) []byte {
	b := n.durable
	for _, c := range n.pending {
		if c.data == nil {
			if r.IntN(2) == 0 {
				b = c.on(b)
			}
			continue
		}
		for from := int64(0); from < int64(len(c.data)); {
			to := min(int64(len(c.data)), from+sector-(c.at+from)%sector)
			if r.IntN(2) == 0 {
				b = change{c.at + from, c.data[from:to]}.on(b)
			}
			from = to
		}
	}
	return b
}

// powerCut writes what the medium holds below root.
func (d *disk) powerCut(root string, c cut) error {
	return d.unfold(root, "", c)
}

func (d *disk) unfold(root, dir string, c cut) error {
	f := d.folders[dir]
	seen := &folder{durable: maps.Clone(f.durable)}
	for _, e := range f.pending[:c.names(len(f.pending))] {
		seen.take(e)
	}
	for _, name := range slices.Sorted(maps.Keys(seen.durable)) {
		n := seen.durable[name]
		if n.dir {
			if err := os.Mkdir(filepath.Join(root, name), 0o755); err != nil {
				return err
			}
			if err := d.unfold(root, name, c); err != nil {
				return err
			}
			continue
		}
		if err := os.WriteFile(filepath.Join(root, name), c.bytes(n), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// differs tells what the program sees in the model and not below root, or the
// other way round: then the model is no model.
func (d *disk) differs(root string) error {
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(at string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name := strings.TrimPrefix(at, root)
		seen[name] = true
		content, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		if n := d.names[name]; n == nil || !bytes.Equal(n.now, content) {
			return fmt.Errorf("the model is wrong about %s", name)
		}
		return nil
	})
	for name, n := range d.names {
		if err == nil && !n.dir && !seen[name] {
			err = fmt.Errorf("the model has %s, which is not there", name)
		}
	}
	return err
}
