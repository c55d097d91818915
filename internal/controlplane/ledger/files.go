package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ipxe-all-ready/internal/atomicfile"
	"ipxe-all-ready/internal/controlplane/dhcphosts"
)

// files are the four that people edit too.
type files struct {
	workers, agents, settings, hosts source
}

func newFiles(o Options) files {
	d := osDisk()
	return files{
		workers: source{path: o.WorkersFile, disk: d, may: o.May}, agents: source{path: o.AgentsFile, disk: d, may: o.May},
		settings: source{path: o.SettingsFile, disk: d, may: o.May}, hosts: source{path: o.HostsFile, disk: d, may: o.May},
	}
}

func (f *files) all() []*source { return []*source{&f.settings, &f.hosts, &f.workers, &f.agents} }

// openBook reads everything for the first time.
func openBook(o Options) (*book, error) {
	b := newBook(o)
	if err := b.prepare(); err != nil {
		return nil, err
	}
	b.files.workers.load, b.files.agents.load = b.loadWorkers, b.loadAgents
	b.files.settings.load, b.files.hosts.load = b.loadSettings, b.loadHosts
	b.marker.open()
	for _, s := range b.files.all() {
		s.missed = b.marker.knows(s.path)
		if s.twin = ""; b.marker.only {
			s.twin = b.marker.twin
		}
		s.known.exists = s.missed
	}
	for _, s := range []*source{&b.files.settings, &b.files.workers, &b.files.agents} {
		b.readFirst(s)
	}
	if err := b.firstHosts(); err != nil {
		return nil, err
	}
	b.readFirst(&b.files.hosts)
	b.guardTokens()
	b.marker.note(b.files.all())
	b.raise()
	b.running, b.unread = true, b.files.settings.broken != nil
	return b, nil
}

// firstHosts makes an empty hosts file at a new site, as dnsmasq does not start
// without one. Where there are workers a missing one was lost: taken for empty,
// it would have every known machine registered anew under another name.
func (b *book) firstHosts() error {
	if _, err := os.Stat(b.o.HostsFile); !errors.Is(err, fs.ErrNotExist) {
		return nil // what is wrong with it shows when it is read
	}
	hosts := &b.files.hosts
	if hosts.missed || b.count > 0 || b.files.workers.broken != nil {
		hosts.known.exists = true
		return nil
	}
	if err := atomicfile.Write(b.o.HostsFile, 0o644, nil); err != nil {
		return fmt.Errorf("open ledger: %w", err)
	}
	return nil
}

// prepare makes the folders, finishes a rewrite that a crash cut short, and
// clears what a killed process left.
func (b *book) prepare() error {
	for _, path := range []string{b.o.WorkersFile, b.o.AgentsFile, b.o.SettingsFile, b.o.HostsFile, b.o.JournalFile, b.o.BootsFile, b.marker.path, b.marker.twin} {
		if path == "" {
			continue
		}
		if err := makeFolder(path); err != nil {
			return fmt.Errorf("open ledger: %w", err)
		}
		if err := atomicfile.Sweep(path); err != nil {
			return fmt.Errorf("open ledger: %w", err)
		}
	}
	for _, s := range b.files.all() {
		info, err := os.Stat(filepath.Dir(s.path))
		if err != nil {
			return fmt.Errorf("open ledger: %w", err)
		}
		s.folder = info
	}
	outcome, err := atomicfile.Recover(b.o.HostsFile, b.o.JournalFile, dhcphosts.Readable)
	if err != nil {
		return fmt.Errorf("open ledger: %w", err)
	}
	if outcome != atomicfile.Clean {
		b.o.Log.Warn("hosts file recovered", "file", b.o.HostsFile, "found", outcome.String())
	}
	return nil
}

// readFirst reads a file at start. What cannot be read as a whole is served as
// far as its rows can be.
func (b *book) readFirst(s *source) {
	for range 20 {
		if s.read(b.o.Now()) {
			break
		}
		time.Sleep(10 * time.Millisecond) // somebody is writing it at this instant
	}
	if s.broken == nil {
		return
	}
	b.o.Log.Error("file cannot be read", "file", s.path, "line", s.broken.Line, "fault", s.broken.Text)
	content, _, err := readWhole(s.path)
	if err != nil {
		return
	}
	switch s {
	case &b.files.workers:
		b.takeWorkers(salvageWorkers(content))
	case &b.files.agents:
		list, _ := readAgents(salvage(content, "agents").rows, b.o.Getenv)
		b.takeAgents(list)
	}
}

func (b *book) loadWorkers(content []byte) error {
	d, err := parseDocument(content, "workers", b.o.format)
	if err != nil {
		return err
	}
	if err := b.nulled(d, b.count); err != nil {
		return err
	}
	list, err := readWorkers(d.raised())
	if err != nil {
		return err
	}
	s, err := d.sheet()
	if err != nil {
		return err
	}
	b.workerSheet = s
	b.files.workers.found(d.schema, b.o.format, content)
	b.takeWorkers(list)
	return nil
}

func (b *book) loadAgents(content []byte) error {
	d, err := parseDocument(content, "agents", b.o.format)
	if err != nil {
		return err
	}
	if err := b.nulled(d, len(b.agents)); err != nil {
		return err
	}
	list, err := readAgents(d.raised(), b.o.Getenv)
	if err != nil {
		return err
	}
	s, err := d.sheet()
	if err != nil {
		return err
	}
	b.agentSheet = s
	b.files.agents.found(d.schema, b.o.format, content)
	b.takeAgents(list)
	return nil
}

// nulled refuses a key with nothing behind it where rows were: they are more
// likely lost than meant to go.
func (b *book) nulled(d *document, known int) error {
	if !b.running || !d.null || known == 0 {
		return nil
	}
	key := d.key.Value
	return flawAt(d.key.Line, "nothing is behind %s though it held %d; an empty ledger is written as %q", key+":", known, key+": {}")
}

func (b *book) loadSettings(content []byte) error {
	s, schema, err := readSettings(content)
	if err != nil {
		return err
	}
	b.files.settings.found(schema, b.o.format, content)
	b.settingsText, b.unread = content, false
	b.setSettings(s)
	return nil
}

// loadHosts refuses what no person meant: a bad line alone is a finding.
func (b *book) loadHosts(content []byte) error {
	if bytes.Equal(content, b.hosts.Bytes()) {
		b.hostsText = content
		return nil
	}
	fresh := dhcphosts.Parse(content)
	if err := b.hostsFlaw(content, fresh); err != nil {
		return err
	}
	b.takeHosts(fresh, content)
	return nil
}

// faults lists what is broken.
func (b *book) faults() []Fault {
	var out []Fault
	for _, s := range b.files.all() {
		if s.broken != nil {
			out = append(out, *s.broken)
		}
	}
	return out
}
