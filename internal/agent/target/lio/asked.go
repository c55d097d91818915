package lio

import (
	"fmt"
	"os"
	"path"
	"slices"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/iscsi"
)

// attributes of a portal group that admits one initiator, or all.
func attributes(only iscsi.IQN) map[string]string {
	want := map[string]string{
		"authentication":          "0",
		"generate_node_acls":      "1",
		"cache_dynamic_acls":      "1",
		"demo_mode_write_protect": "0",
	}
	if !only.IsZero() {
		want["generate_node_acls"] = "0"
	}
	return want
}

// storeAttributes of our backstores.
//
// emulate_tpu lets an initiator's TRIM punch holes into the image.
//
// emulate_write_cache comes with fd_buffered_io: what is written goes to the
// page cache, and the disk says that it has a write cache (WCE), so that systems
// flush it: SYNCHRONIZE CACHE and FUA then sync the file. A system that never
// flushes can lose its last seconds when the node dies, as on any disk with a
// cache. The other ways were tried, with the power cut:
//   - O_DSYNC, the kernel's default, keeps every write and waits for the medium
//     at each, in the one thread of the session: small writes are 4 to 7 times
//     slower: Options.Sync;
//   - fd_async_io says that there is no write cache and loses acknowledged
//     writes all the same. It also goes around the page cache, which not every
//     file system can, in blocks of 512 bytes.
func (b *Backend) storeAttributes() map[string]string {
	want := map[string]string{"emulate_tpu": "1", "emulate_write_cache": "1", "emulate_fua_write": "1"}
	if b.o.Sync {
		want["emulate_write_cache"] = "0"
	}
	return want
}

// control is what makes a backstore of a file, in its one write.
func (b *Backend) control(file string, size int64) string {
	s := fmt.Sprintf("fd_dev_name=%s,fd_dev_size=%d", file, size)
	if b.o.Sync {
		return s // the kernel's default is O_DSYNC
	}
	return s + ",fd_buffered_io=1"
}

// missing says what of an export a group lacks; empty when it is as asked.
func (b *Backend) missing(g group, e target.Export) (string, error) {
	l := g.disk()
	switch {
	case path.Base(l.store) != storeName(e.IQN):
		return "lun 0", nil
	case !sameFile(l.shown.Backing, e.Backing):
		return "its file", nil
	case l.shown.Serial != e.Serial():
		return "its serial", nil
	case !g.enabled:
		return "enabling", nil
	case !slices.Contains(g.portals, b.o.Portal):
		return "portal " + b.o.Portal, nil
	}
	if name, err := b.different(l.store, b.storeAttributes()); name != "" || err != nil {
		return name, err
	}
	if name, err := b.different(g.dir, attributes(e.Initiator)); name != "" || err != nil {
		return name, err
	}
	return g.missingACL(e.Initiator), nil
}

// different names an attribute that is not as wanted.
func (b *Backend) different(dir string, want map[string]string) (string, error) {
	for name, value := range want {
		got, err := b.attr(path.Join(dir, "attrib", name))
		if err != nil {
			return "", step(err, "read %s", name)
		}
		if got != value {
			return name, nil
		}
	}
	return "", nil
}

// missingACL: a target for one initiator knows no other. On an open one, names
// of earlier times do no harm.
func (g group) missingACL(only iscsi.IQN) string {
	if only.IsZero() {
		return ""
	}
	if len(g.acls) != 1 || g.acls[0].name != only.String() || !g.acls[0].mapped {
		return "acl " + only.String()
	}
	return ""
}

// disk is LUN 0. Others that somebody put beside it are none of our business.
func (g group) disk() lun {
	for _, l := range g.luns {
		if l.number == 0 {
			return l
		}
	}
	return lun{}
}

// linked reports whether any LUN has a backstore.
func (g group) linked() bool {
	return slices.ContainsFunc(g.luns, func(l lun) bool { return l.store != "" })
}

// ours reports whether g serves our backstore of q.
func (g group) ours(q iscsi.IQN) bool {
	return slices.ContainsFunc(g.luns, func(l lun) bool { return path.Base(l.store) == storeName(q) })
}

// sameFile compares paths, then files: an image folder may be reached by two names.
func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
