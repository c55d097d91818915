package ledger

import (
	"cmp"
	"log/slog"
	"slices"

	"ipxe-all-ready/internal/atomicfile"
)

// Inspection is what a start would read, and everything that is wrong with it.
type Inspection struct {
	Snapshot *Snapshot
	Faults   []Fault // of every row, not of the first alone
	Pending  bool    // a rewrite of the bindings was cut short, or is being made
}

// Inspect reads all files as Open would and changes nothing, also while a
// control plane runs on them.
func Inspect(o Options) Inspection {
	o.Log = slog.New(slog.DiscardHandler)
	b := newBook(o.withDefaults())
	b.files.workers.load, b.files.agents.load = b.loadWorkers, b.loadAgents
	b.files.settings.load, b.files.hosts.load = b.loadSettings, b.loadHosts
	b.marker.open()
	in := Inspection{}
	for _, s := range b.files.all() {
		s.missed = b.marker.knows(s.path)
		s.known.exists = s.missed
		b.readFirst(s)
	}
	if _, err := b.marker.read(); err != nil {
		in.Faults = append(in.Faults, Fault{File: b.marker.path, Text: "which ledgers this site has cannot be read: " + err.Error()})
	}
	if !stampOf(o.HostsFile).exists && !b.files.hosts.missed && b.count > 0 {
		in.Faults = append(in.Faults, Fault{File: o.HostsFile, Text: "the file is missing and there are workers: every machine would be registered anew; put it back"})
	}
	for _, f := range b.faults() {
		in.Faults = append(in.Faults, b.everyFlaw(f)...)
	}
	in.Pending = b.o.JournalFile != "" && stampOf(b.o.JournalFile).exists
	in.Snapshot = b.snapshot()
	return in
}

// everyFlaw is f and what else is wrong with the rows of its file.
func (b *book) everyFlaw(f Fault) []Fault {
	key := map[string]string{b.o.WorkersFile: "workers", b.o.AgentsFile: "agents"}[f.File]
	content, err := atomicfile.ReadFile(f.File, maxLedger)
	if key == "" || err != nil {
		return []Fault{f}
	}
	all := map[Fault]bool{f: true}
	add := func(err error) {
		if err != nil {
			flaw := asFlaw(err)
			all[Fault{File: f.File, Line: flaw.line, Text: flaw.text, At: f.At}] = true
		}
	}
	w := salvage(content, key)
	for _, lost := range w.broken {
		add(lost.err)
	}
	for _, r := range w.rows {
		if key == "agents" {
			_, err := readAgent(r, b.o.Getenv)
			add(err)
			continue
		}
		_, err := readWorker(r)
		add(err)
	}
	list := make([]Fault, 0, len(all))
	for f := range all {
		list = append(list, f)
	}
	slices.SortFunc(list, func(x, y Fault) int { return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Text, y.Text)) })
	return list
}

// Unset names the ${VARIABLES} of a's token that the environment lacks.
func (a *Agent) Unset(getenv func(string) string) (names []string) {
	for _, v := range envName.FindAllString(a.rawToken, -1) {
		if v[1] != '$' && getenv(v[2:len(v)-1]) == "" {
			names = append(names, v[2:len(v)-1])
		}
	}
	return names
}
