package lio

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
)

// build makes all of a target, of which nothing is there. It is enabled last.
func (b *Backend) build(e target.Export, size int64) error {
	store, err := b.buildStore(e, size)
	if err != nil {
		return err
	}
	group := groupDir(e.IQN.String())
	for _, dir := range []string{targetDir(e.IQN.String()), group} {
		if err := b.fs.Mkdir(dir); err != nil {
			return step(err, "make %s", path.Base(dir))
		}
	}
	if err := b.set(path.Join(group, "attrib"), attributes(e.Initiator)); err != nil {
		return err
	}
	lun := path.Join(group, "lun", "lun_0")
	if err := b.fs.Mkdir(lun); err != nil {
		return step(err, "make lun 0")
	}
	if err := b.fs.Link(store, path.Join(lun, path.Base(store))); err != nil {
		return step(err, "link lun 0 to backstore %s", path.Base(store))
	}
	if !e.Initiator.IsZero() {
		if err := b.buildACL(group, e.Initiator); err != nil {
			return err
		}
	}
	if err := b.openPortal(group, b.o.Portal); err != nil {
		return err
	}
	return step(b.fs.Write(path.Join(group, "enable"), "1"), "enable target")
}

// buildStore makes the backstore. Attributes follow enabling: before it, some
// kernels crash at emulate_tpu.
func (b *Backend) buildStore(e target.Export, size int64) (string, error) {
	store, err := b.takeStore(e.IQN)
	if err != nil {
		return "", err
	}
	for _, a := range []struct{ name, value string }{
		{"control", b.control(e.Backing, size)},
		{"udev_path", e.Backing},
		{"enable", "1"},
		{"wwn/vpd_unit_serial", e.Serial()},
	} {
		if err := b.fs.Write(path.Join(store, a.name), a.value); err != nil {
			return "", step(err, "set %s of backstore %s", a.name, path.Base(store))
		}
	}
	return store, b.set(path.Join(store, "attrib"), b.storeAttributes())
}

// takeStore makes the backstore's folder on the first of its HBA numbers that
// nobody else is on.
func (b *Backend) takeStore(q iscsi.IQN) (string, error) {
	b.hba.Lock()
	defer b.hba.Unlock()
	for _, hba := range hbas(q) {
		if err := b.fs.Mkdir(hba); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", step(err, "make %s", path.Base(hba))
		}
		others, err := b.stores(hba)
		if err != nil {
			return "", step(err, "read %s", path.Base(hba))
		}
		if len(others) > 0 {
			continue
		}
		store := path.Join(hba, storeName(q))
		return store, step(b.fs.Mkdir(store), "make backstore %s", path.Base(store))
	}
	return "", fault.New(fault.Internal, "lio: all hba numbers of target %s are taken: %s", q, strings.Join(hbas(q), ", "))
}

// stores lists the backstores of one HBA.
func (b *Backend) stores(hba string) ([]string, error) {
	entries, err := b.fs.List(hba)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// loneStore finds q's backstore where we would have made it; empty when it is
// not there.
func (b *Backend) loneStore(q iscsi.IQN) (string, error) {
	for _, hba := range hbas(q) {
		store := path.Join(hba, storeName(q))
		switch _, err := b.fs.Identity(store); {
		case err == nil:
			return store, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", step(err, "look for backstore %s", path.Base(store))
		}
	}
	return "", nil
}

func (b *Backend) set(dir string, values map[string]string) error {
	for name, value := range values {
		if err := b.fs.Write(path.Join(dir, name), value); err != nil {
			return step(err, "set %s", name)
		}
	}
	return nil
}

// buildACL lets one initiator in by name and shows it LUN 0.
func (b *Backend) buildACL(group string, who iscsi.IQN) error {
	acl := path.Join(group, "acls", who.String())
	lun := path.Join(acl, "lun_0")
	for _, dir := range []string{acl, lun} {
		if err := b.fs.Mkdir(dir); err != nil && !errors.Is(err, fs.ErrExist) {
			return step(err, "make acl of %s", who)
		}
	}
	if err := b.fs.Write(path.Join(lun, "write_protect"), "0"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return step(err, "make acl of %s", who)
	}
	err := b.fs.Link(path.Join(group, "lun", "lun_0"), path.Join(lun, "lun_0"))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return step(err, "map lun 0 to %s", who)
	}
	return nil
}

// openPortal fails with "invalid argument" alone when the port is taken.
func (b *Backend) openPortal(group, portal string) error {
	b.port.Lock()
	defer b.port.Unlock()
	err := b.fs.Mkdir(path.Join(group, "np", portal))
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	return step(err, "open portal %s (does another program listen there?)", portal)
}

func (b *Backend) closePortal(dir string) error {
	b.port.Lock()
	defer b.port.Unlock()
	return b.drop(dir, "close portal %s", path.Base(dir))
}
