package liovm

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// wanted are the modules that a guest loads, before what each depends on. The
// last two are asked for by name at the first login: with no modprobe in the
// guest they must be there already.
var wanted = []string{
	"virtio_pci", "virtio_net", "virtio_blk", "9pnet_virtio", "9p", "ext4",
	"crc32c_generic", "crc32c_intel",
	"configfs", "target_core_mod", "target_core_file", "target_core_iblock", "iscsi_target_mod",
}

// moduleFiles finds every module below dir by its name.
func moduleFiles(dir string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if name, ok := strings.CutSuffix(filepath.Base(path), ".ko"); err == nil && ok && d.Type().IsRegular() {
			files[canonical(name)] = path
		}
		return err
	})
	return files, err
}

// canonical makes one name of two: files and lists of dependencies have - or _
// as it comes, the kernel itself only _.
func canonical(name string) string { return strings.ReplaceAll(name, "-", "_") }

// loadOrder is the wanted modules with all they depend on, each after those.
// What the kernel has built in is no file, and none depends on it by name.
func loadOrder(files map[string]string, wanted []string) ([]string, error) {
	var order []string
	seen := map[string]bool{}
	var visit func(name string) error
	visit = func(name string) error {
		name = canonical(name)
		if seen[name] {
			return nil
		}
		seen[name] = true
		path, ok := files[name]
		if !ok {
			return fmt.Errorf("the kernel package has no module %s", name)
		}
		needs, err := dependencies(path)
		if err != nil {
			return fmt.Errorf("read module %s: %w", name, err)
		}
		for _, n := range needs {
			if err := visit(n); err != nil {
				return err
			}
		}
		order = append(order, name)
		return nil
	}
	for _, name := range wanted {
		if err := visit(name); err != nil {
			return nil, err
		}
	}
	return order, nil
}

// dependencies reads section .modinfo, strings that end with a zero byte:
//
//	license=GPL␀depends=target_core_mod,scsi_mod␀name=iscsi_target_mod␀
func dependencies(path string) ([]string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	section := f.Section(".modinfo")
	if section == nil {
		return nil, fmt.Errorf("%s has no section .modinfo", filepath.Base(path))
	}
	info, err := section.Data()
	if err != nil {
		return nil, err
	}
	for field := range bytes.SplitSeq(info, []byte{0}) {
		if list, ok := bytes.CutPrefix(field, []byte("depends=")); ok {
			return strings.FieldsFunc(string(list), func(r rune) bool { return r == ',' }), nil
		}
	}
	return nil, nil
}
