package controlplane

import (
	"os"
	"path/filepath"

	"ipxe-all-ready/internal/config"
)

// Files are the ledgers' paths.
type Files struct {
	Agents, Workers, Settings, Hosts, Operations string
	Boots, Journal, Tasks, Lock                  string // of our own, beside Workers
}

// ledgerVariables name the files that a site may put elsewhere, and where they
// are by default.
var ledgerVariables = []struct {
	name, def string
	path      func(*Files) *string
}{
	{"IPXE_CP_AGENTS_FILE", "config/agents.yml", func(f *Files) *string { return &f.Agents }},
	{"IPXE_CP_WORKERS_FILE", "state/workers.yml", func(f *Files) *string { return &f.Workers }},
	{"IPXE_CP_SETTINGS_FILE", "state/settings.json", func(f *Files) *string { return &f.Settings }},
	{"IPXE_CP_DNSMASQ_HOSTS_FILE", "dnsmasq/dhcp-hosts.conf", func(f *Files) *string { return &f.Hosts }},
	{"IPXE_CP_OPERATIONS_FILE", "state/operations.jsonl", func(f *Files) *string { return &f.Operations }},
}

func filesFrom(s *config.Source) Files {
	home := homeFrom(s)
	var f Files
	for _, v := range ledgerVariables {
		p := s.String(v.name, v.def)
		if !filepath.IsAbs(p) {
			p = filepath.Join(home, p)
		}
		*v.path(&f) = filepath.Clean(p)
	}
	// Beside the workers and not beside the bindings: dnsmasq would read a
	// stray file there, and that folder may be a container's.
	state := filepath.Dir(f.Workers)
	f.Boots = filepath.Join(state, "boots.json")
	f.Journal = filepath.Join(state, "dhcp-hosts.journal")
	f.Tasks = filepath.Join(state, "tasks.json")
	f.Lock = filepath.Join(state, "ipxe-cp.lock")
	rejectShared(s, &f)
	return f
}

// homeFrom refuses a home that is not there: made anew it would be an empty
// site, whose machines would all be registered again. A mistyped name and a
// disk that is not mounted look so.
func homeFrom(s *config.Source) string {
	const name = "IPXE_CP_HOME"
	home := s.String(name, ".")
	if !s.Has(name) {
		return home
	}
	if info, err := os.Stat(home); err != nil || !info.IsDir() {
		s.Reject(name, "%q is no folder that stands: is it mistyped, or its disk not mounted? At a new site make it first", home)
	}
	return home
}

// rejectShared refuses two variables that name one file: each of its writers
// would overwrite the other's.
func rejectShared(s *config.Source, f *Files) {
	for i, v := range ledgerVariables {
		for _, first := range ledgerVariables[:i] {
			if path := *v.path(f); sameFile(path, *first.path(f)) {
				s.Reject(v.name, "names the same file as %s, %q", first.name, path)
			}
		}
		for _, own := range []string{f.Boots, f.Journal, f.Tasks, f.Lock} {
			if path := *v.path(f); sameFile(path, own) {
				s.Reject(v.name, "%q is a file that ipxe-cp keeps for itself", path)
			}
		}
	}
}

// sameFile also finds links to one file.
func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
