package lio

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/iscsi"
)

// group is one target portal group as the kernel shows it.
type group struct {
	dir      string
	enabled  bool
	open     bool // to all initiators
	luns     []lun
	portals  []string
	acls     []acl
	sessions []target.Session
}

// lun is a logical unit and the backstore behind it, if one is linked.
type lun struct {
	number int
	store  string // core/fileio_N/NAME; empty: none
	shown  target.LUN
}

// acl is an initiator that is let in by name.
type acl struct {
	name   string
	mapped bool // sees LUN 0
	busy   bool // has a session
}

// look reads one portal group. It is an error that it is not there.
func (b *Backend) look(dir string) (group, error) {
	g := group{dir: dir}
	enabled, err := b.attr(path.Join(dir, "enable"))
	if err != nil {
		return g, err
	}
	g.enabled = enabled == "1"
	generate, err := b.attr(path.Join(dir, "attrib", "generate_node_acls"))
	if err != nil {
		return g, err
	}
	g.open = generate == "1"
	portals, err := b.fs.List(path.Join(dir, "np"))
	if err != nil {
		return g, err
	}
	for _, p := range portals {
		if p.IsDir() {
			g.portals = append(g.portals, p.Name())
		}
	}
	if g.luns, err = b.luns(path.Join(dir, "lun")); err != nil {
		return g, err
	}
	return g, b.who(&g)
}

func (b *Backend) attr(name string) (string, error) {
	value, err := b.fs.Read(name)
	return strings.TrimSpace(value), err
}

func (b *Backend) luns(dir string) ([]lun, error) {
	entries, err := b.fs.List(dir)
	if err != nil {
		return nil, err
	}
	var luns []lun
	for _, e := range entries {
		n, ok := numbered(e.Name(), "lun")
		if !ok {
			continue
		}
		l := lun{number: n, shown: target.LUN{Number: iscsi.LUN(n)}}
		link, to, err := b.link(path.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		if link != "" {
			l.store = path.Join(coreDir, path.Base(path.Dir(to)), path.Base(to))
			if err := b.store(&l); err != nil {
				return nil, err
			}
		}
		luns = append(luns, l)
	}
	slices.SortFunc(luns, func(a, b lun) int { return a.number - b.number })
	return luns, nil
}

// link finds the one link in a LUN's folder.
func (b *Backend) link(dir string) (name, to string, err error) {
	entries, err := b.fs.List(dir)
	if err != nil {
		return "", "", err
	}
	i := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return e.Type()&fs.ModeSymlink != 0 })
	if i < 0 {
		return "", "", nil
	}
	name = path.Join(dir, entries[i].Name())
	to, err = b.fs.ReadLink(name)
	return name, to, err
}

// store reads a backstore, of whatever kind.
func (b *Backend) store(l *lun) error {
	var err error
	if l.shown.Backing, err = b.attr(path.Join(l.store, "udev_path")); err != nil {
		return err
	}
	info, err := b.fs.Read(path.Join(l.store, "info"))
	if err != nil {
		return err
	}
	l.shown.Size = parseSize(info)
	serial, err := b.fs.Read(path.Join(l.store, "wwn", "vpd_unit_serial"))
	if err != nil {
		return err
	}
	l.shown.Serial = parseSerial(serial)
	l.shown.Type = kind(path.Base(path.Dir(l.store)))
	return nil
}

// kind is a disk, or what the kernel calls an HBA such as rd_mcp_3.
func kind(hba string) string {
	plugin := hba[:max(0, strings.LastIndexByte(hba, '_'))]
	if plugin == "fileio" || plugin == "iblock" {
		return target.TypeDisk
	}
	return plugin
}

// who reads ACLs and sessions. Of an initiator that an ACL names the kernel
// tells the address too.
func (b *Backend) who(g *group) error {
	dynamic, err := b.fs.Read(path.Join(g.dir, "dynamic_sessions"))
	if err != nil {
		return err
	}
	g.sessions = parseDynamic(dynamic)
	entries, err := b.fs.List(path.Join(g.dir, "acls"))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		a := acl{name: e.Name()}
		dir := path.Join(g.dir, "acls", a.name)
		info, err := b.fs.Read(path.Join(dir, "info"))
		if err != nil {
			return err
		}
		var s target.Session
		if s, a.busy = parseACLInfo(info); a.busy {
			g.sessions = append(g.sessions, s)
		}
		name, _, err := b.link(path.Join(dir, "lun_0"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		a.mapped = name != ""
		g.acls = append(g.acls, a)
	}
	return nil
}

// admitted is the group's ACL as package target shows it.
func (g group) admitted() []string {
	if g.open {
		return []string{"ALL"}
	}
	var names []string
	for _, a := range g.acls {
		names = append(names, a.name)
	}
	return names
}
