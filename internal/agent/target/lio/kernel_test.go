package lio

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// kernel is LIO as far as this package sees it, in memory: the folders that a
// mkdir fills, what refuses what, and who is logged in.
type kernel struct {
	mu       sync.Mutex
	nodes    map[string]*node
	sessions []login
	serial   int
	portBusy bool
	noFabric bool
}

type node struct {
	mode  fs.FileMode
	made  bool   // by mkdir or symlink, and so removable
	value string // of an attribute, or where a link leads
	id    int
}

type login struct{ group, initiator string }

func newKernel() *kernel {
	k := &kernel{nodes: map[string]*node{}}
	k.add(".", fs.ModeDir, "")
	k.add("core", fs.ModeDir, "")
	k.add("core/alua", fs.ModeDir, "")
	return k
}

func (k *kernel) add(name string, mode fs.FileMode, value string) *node {
	k.serial++
	n := &node{mode: mode, value: value, id: k.serial}
	k.nodes[name] = n
	return n
}

func refuse(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: "target/" + name, Err: err}
}

func (k *kernel) children(dir string) []string {
	var names []string
	for name := range k.nodes {
		if name != "." && path.Dir(name) == dir {
			names = append(names, path.Base(name))
		}
	}
	slices.Sort(names)
	return names
}

// defaults are what the kernel puts into a new folder; a slash at the end makes
// a folder.
var defaults = []struct {
	pattern *regexp.Regexp
	entries []string
}{
	{regexp.MustCompile(`^iscsi$`), []string{"lio_version=v4", "discovery_auth/"}},
	{regexp.MustCompile(`^core/\w+_\d+$`), []string{"hba_info=x", "hba_mode=0"}},
	{regexp.MustCompile(`^core/\w+_\d+/[^/]+$`), []string{
		"enable=0", "control=", "udev_path=", "info=", "wwn/", "wwn/vpd_unit_serial=T10 VPD Unit Serial Number: ",
		"attrib/", "attrib/emulate_tpu=0", "attrib/emulate_write_cache=0", "attrib/emulate_fua_write=1",
	}},
	{regexp.MustCompile(`^iscsi/[^/]+$`), []string{"fabric_statistics/"}},
	{regexp.MustCompile(`^iscsi/[^/]+/tpgt_\d+$`), []string{
		"enable=0", "dynamic_sessions=", "lun/", "np/", "acls/", "param/", "attrib/", "attrib/authentication=1",
		"attrib/generate_node_acls=0", "attrib/cache_dynamic_acls=0", "attrib/demo_mode_write_protect=1",
	}},
	{regexp.MustCompile(`^iscsi/[^/]+/tpgt_\d+/lun/lun_\d+$`), []string{"statistics/"}},
	{regexp.MustCompile(`^iscsi/[^/]+/tpgt_\d+/np/[\d.]+:\d+$`), []string{"iser=0"}},
	{regexp.MustCompile(`^iscsi/[^/]+/tpgt_\d+/acls/[^/]+$`), []string{"info=", "fabric_statistics/"}},
	{regexp.MustCompile(`^iscsi/[^/]+/tpgt_\d+/acls/[^/]+/lun_\d+$`), []string{"statistics/", "write_protect=0"}},
}

func (k *kernel) Mkdir(name string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.nodes[name] != nil:
		return refuse("mkdir", name, syscall.EEXIST)
	case k.nodes[path.Dir(name)] == nil:
		return refuse("mkdir", name, syscall.ENOENT)
	case name == "iscsi" && k.noFabric, strings.Contains(name, "/np/") && k.portBusy:
		return refuse("mkdir", name, syscall.EINVAL)
	}
	for _, d := range defaults {
		if !d.pattern.MatchString(name) {
			continue
		}
		k.add(name, fs.ModeDir, "").made = true
		for _, e := range d.entries {
			if dir, ok := strings.CutSuffix(e, "/"); ok {
				k.add(path.Join(name, dir), fs.ModeDir, "")
				continue
			}
			attr, value, _ := strings.Cut(e, "=")
			k.add(path.Join(name, attr), 0, value)
		}
		return nil
	}
	return refuse("mkdir", name, syscall.EPERM)
}

func (k *kernel) Remove(name string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := k.nodes[name]
	if n == nil {
		return refuse("remove", name, syscall.ENOENT)
	}
	if !n.made {
		return refuse("remove", name, syscall.EPERM)
	}
	for other, o := range k.nodes {
		if o.mode&fs.ModeSymlink != 0 && path.Clean(o.value) == name {
			return refuse("remove", name, syscall.EBUSY)
		}
		if o.made && strings.HasPrefix(other, name+"/") {
			return refuse("remove", name, syscall.ENOTEMPTY)
		}
	}
	for other := range k.nodes {
		if other == name || strings.HasPrefix(other, name+"/") {
			delete(k.nodes, other)
		}
	}
	k.logout(func(l login) bool { return path.Join(l.group, "acls", l.initiator) == name })
	return nil
}

func (k *kernel) Write(name, value string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := k.nodes[name]
	if n == nil {
		return refuse("open", name, syscall.ENOENT)
	}
	dir, attr := path.Dir(name), path.Base(name)
	isStore := strings.HasPrefix(name, "core/")
	switch {
	case attr == "control":
		return k.control(dir, value)
	case isStore && attr == "enable" && k.nodes[dir+"/control"].value == "":
		return refuse("write", name, syscall.EINVAL)
	case isStore && path.Base(dir) == "attrib" && k.nodes[path.Dir(dir)+"/enable"].value != "1":
		panic("the kernel crashes: " + name + " before enable")
	case attr == "vpd_unit_serial":
		if k.isLinked(path.Dir(dir)) {
			return refuse("write", name, syscall.EINVAL)
		}
		value = "T10 VPD Unit Serial Number: " + value
	case attr == "cache_dynamic_acls" && value == "0" && k.nodes[dir+"/generate_node_acls"].value == "1":
		return nil // in silence
	case attr == "generate_node_acls" && value == "1":
		k.nodes[dir+"/cache_dynamic_acls"].value = "1"
	case attr == "enable" && value == "0" && n.value == "0":
		return refuse("write", name, syscall.EINVAL)
	case attr == "enable" && value == "0":
		k.logout(func(l login) bool { return l.group == dir })
	}
	n.value = value
	return nil
}

var controlForm = regexp.MustCompile(`^fd_dev_name=([^,]*),fd_dev_size=(\d+)(,fd_buffered_io=1)?$`)

func (k *kernel) control(store, value string) error {
	m := controlForm.FindStringSubmatch(value)
	if m == nil {
		return refuse("write", store+"/control", syscall.EINVAL)
	}
	f, err := os.OpenFile(m[1], os.O_CREATE|os.O_RDWR, 0o600) // as the kernel does
	if err != nil {
		return err
	}
	mode := "O_DSYNC"
	if m[3] != "" {
		mode = "Buffered-WCE"
		k.nodes[store+"/attrib/emulate_write_cache"].value = "1"
	}
	k.nodes[store+"/control"].value = value
	k.nodes[store+"/info"].value = fmt.Sprintf("Status: ACTIVATED  SectorSize: 512\n        TCM FILEIO ID: 0        File: %s  Size: %s  Mode: %s Async: 0\n", m[1], m[2], mode)
	return f.Close()
}

func (k *kernel) isLinked(store string) bool {
	for _, n := range k.nodes {
		if n.mode&fs.ModeSymlink != 0 && n.value == store {
			return true
		}
	}
	return false
}

func (k *kernel) Link(to, name string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.nodes[name] != nil:
		return refuse("symlink", name, syscall.EEXIST)
	case k.nodes[to] == nil, k.nodes[path.Dir(name)] == nil:
		return refuse("symlink", name, syscall.ENOENT)
	case strings.HasPrefix(to, "core/") && k.nodes[to+"/enable"].value != "1":
		return refuse("symlink", name, syscall.ENODEV)
	}
	n := k.add(name, fs.ModeSymlink, to)
	n.made = true
	return nil
}

// Login is an initiator's, with the kernel's rules.
func (k *kernel) Login(iqn, initiator string) (logout func(), err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	group := groupDir(iqn)
	enabled := k.nodes[group+"/enable"]
	if enabled == nil || enabled.value != "1" || len(k.children(group+"/np")) == 0 {
		return nil, fmt.Errorf("target %s is not served", iqn)
	}
	mapped := k.nodes[path.Join(group, "acls", initiator, "lun_0", "lun_0")] != nil
	if k.nodes[group+"/attrib/generate_node_acls"].value != "1" && !mapped {
		return nil, fmt.Errorf("target %s does not admit %s", iqn, initiator)
	}
	l := login{group, initiator}
	k.sessions = append(k.sessions, l)
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.logout(func(x login) bool { return x == l })
	}, nil
}

func (k *kernel) logout(which func(login) bool) { k.sessions = slices.DeleteFunc(k.sessions, which) }
