package ledger

import (
	"cmp"
	"errors"
	"log/slog"
	"maps"
	"slices"

	"ipxe-all-ready/internal/atomicfile"
)

// Inspection is what a start would read, and everything that is wrong with it.
type Inspection struct {
	Snapshot *Snapshot
	Faults   []Fault // of every row, not of the first alone
	Pending  bool    // a rewrite of the bindings was cut short, or is being made
	Tokens   bool    // one stands in the inventory in plain
	Boots    error   // why the times of the last boots are forgotten; nil: they are not
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
		do := "remove it: it is made anew"
		if errors.Is(err, errNewer) {
			do = "install the newer release again; until then a ledger that has vanished is not noticed"
		}
		in.Faults = append(in.Faults, Fault{File: b.marker.path, Text: "which ledgers this site has cannot be read: " + err.Error(), Do: do})
	}
	if !stampOf(o.HostsFile).exists && !b.files.hosts.missed && b.count > 0 {
		in.Faults = append(in.Faults, Fault{File: o.HostsFile, Text: "the file is missing and there are workers: every machine would be registered anew; put it back", Do: doReturn})
	}
	for _, f := range b.faults() {
		in.Faults = append(in.Faults, b.everyFlaw(f)...)
	}
	in.Pending = b.o.JournalFile != "" && stampOf(b.o.JournalFile).exists
	in.Snapshot, in.Tokens = b.snapshot(), b.holdsTokens()
	in.Boots = (&boots{path: o.BootsFile}).load(in.Snapshot.workers)
	return in
}

// everyFlaw is f and what else is wrong with the rows of its file. What a newer
// program wrote may be right in every row.
func (b *book) everyFlaw(f Fault) []Fault {
	content, err := atomicfile.ReadFile(f.File, maxLedger)
	if err != nil || f.Do == doNewer {
		return []Fault{f}
	}
	all := map[Fault]bool{f: true}
	add := func(err error) {
		for _, flaw := range flawsOf(err) {
			all[Fault{File: f.File, Line: flaw.line, Text: flaw.text, Do: flaw.do, At: f.At}] = true
		}
	}
	switch f.File {
	case b.o.WorkersFile:
		w := salvage(content, "workers")
		w.eachLost(add)
		eachWorker(w.rows, add)
	case b.o.AgentsFile:
		w := salvage(content, "agents")
		w.eachLost(add)
		eachAgent(w.rows, b.o.Getenv, add)
	case b.o.SettingsFile:
		if _, _, err := readSettings(content); err != nil {
			add(err)
		}
	}
	list := slices.Collect(maps.Keys(all))
	slices.SortFunc(list, func(x, y Fault) int { return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Text, y.Text)) })
	return list
}

func flawsOf(err error) flaws {
	if several := (flaws)(nil); errors.As(err, &several) {
		return several
	}
	return flaws{asFlaw(err)}
}

func (w wreck) eachLost(flawed func(error)) {
	for _, lost := range w.broken {
		flawed(lost.err)
	}
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
