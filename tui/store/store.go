// Package store holds what the control plane told last, with its age. Loads
// carry an id, and an answer that a later load has overtaken is dropped; what
// events tell while a load is on its way is applied again on top of its answer.
package store

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/client"
)

// Part is one thing that is loaded by itself.
type Part int

// The parts.
const (
	Workers Part = iota
	Agents
	Masters
	Tasks
	Operations
	Settings
	Sessions
	Findings
	Ready
	Health // of the nodes: asking a dead one takes long, and the list of them does not wait for it
	parts
)

// Shown is the part as screens know it.
func (p Part) Shown() Part {
	if p == Health {
		return Agents
	}
	return p
}

// Store is the data. Only the update loop touches it.
type Store struct {
	Workers    map[string]*api.Worker
	Agents     []api.Agent
	Masters    []api.AgentMasters
	Tasks      []api.Task // newest first
	Operations []Operation
	Oldest     bool // Operations goes back to the first entry
	Auto       *api.AutoRegister
	Live       map[string]bool // workers with a session
	LiveError  string
	Findings   []api.Finding
	Ready      api.Ready

	cp      *client.ControlPlane
	now     func() time.Time
	edition string
	healths map[string]api.Agent // as they were told last
	state   [parts]state
}

type state struct {
	load     int // id of the newest load
	loading  bool
	started  time.Time
	at       time.Time // of the last good answer
	err      error
	failures int
	again    bool                    // something happened that the load on its way may have missed
	since    []func(*Store) []string // changes that came while loading
}

// New makes an empty store.
func New(cp *client.ControlPlane, now func() time.Time) *Store {
	return &Store{cp: cp, now: now, Workers: map[string]*api.Worker{}, Live: map[string]bool{}}
}

// Loaded is the answer to one load.
type Loaded struct {
	Part  Part
	id    int
	apply func(*Store)
	Err   error
}

// Changed tells screens what is new.
type Changed struct {
	Part Part
	IDs  []string // nil: all of it
}

// At is when a part was last read; zero: never.
func (s *Store) At(p Part) time.Time { return s.state[p].at }

// Err is why the last load of a part failed, nil if it did not.
func (s *Store) Err(p Part) error { return s.state[p].err }

// Loading reports whether a load is on its way for longer than d.
func (s *Store) Loading(d time.Duration) bool {
	for _, st := range s.state {
		if st.loading && s.now().Sub(st.started) >= d {
			return true
		}
	}
	return false
}

// Load begins to read a part.
func (s *Store) Load(p Part) tea.Cmd {
	st := &s.state[p]
	st.load++
	st.loading, st.started, st.since = true, s.now(), nil
	id, read := st.load, s.reader(p)
	return func() tea.Msg {
		apply, err := read(context.Background())
		return Loaded{Part: p, id: id, apply: apply, Err: err}
	}
}

// Apply takes an answer in; false: a later load has overtaken it.
func (s *Store) Apply(m Loaded) bool {
	st := &s.state[m.Part]
	if m.id != st.load {
		return false
	}
	st.loading, st.err = false, m.Err
	if st.again {
		st.again, st.started = false, time.Time{}
	}
	if m.Err != nil {
		st.failures++
		return true
	}
	st.failures, st.at = 0, s.now()
	m.apply(s)
	for _, again := range st.since {
		again(s)
	}
	st.since = nil
	return true
}

// change applies what an event told, now and after a load that is on its way.
func (s *Store) change(p Part, do func(*Store) []string) Changed {
	if st := &s.state[p]; st.loading {
		st.since = append(st.since, do)
	}
	return Changed{Part: p, IDs: do(s)}
}

// pauses are how long a part's data may age before it is read again, with the
// event stream and without.
func pause(p Part, streaming bool) time.Duration {
	switch p {
	case Agents, Health, Sessions:
		return 10 * time.Second
	case Masters, Findings:
		return 30 * time.Second
	}
	if streaming {
		return 5 * time.Minute
	}
	return 3 * time.Second
}

// Due begins to read those parts whose time has come; a part that fails is
// asked for ever more rarely.
func (s *Store) Due(wanted []Part, streaming bool) []tea.Cmd {
	var out []tea.Cmd
	if slices.Contains(wanted, Agents) {
		wanted = append(slices.Clone(wanted), Health)
	}
	for _, p := range wanted {
		if p == Sessions && s.state[Health].at.IsZero() {
			continue // nobody to ask yet
		}
		st := &s.state[p]
		wait := pause(p, streaming)
		if st.failures > 0 {
			wait = min(time.Second<<min(st.failures-1, 4), 15*time.Second)
		}
		if !st.loading && (st.started.IsZero() || s.now().Sub(st.started) >= wait) {
			out = append(out, s.Load(p))
		}
	}
	return out
}

// Stale makes Due read everything again.
func (s *Store) Stale() {
	for i := range s.state {
		if s.state[i].loading {
			s.state[i].again = true
		} else {
			s.state[i].started = time.Time{}
		}
	}
}

// Agent is one node by its id.
func (s *Store) Agent(id string) (api.Agent, bool) {
	for _, a := range s.Agents {
		if a.ID == id {
			return a, true
		}
	}
	return api.Agent{}, false
}

// Task is one task by its id.
func (s *Store) Task(id string) (api.Task, bool) {
	for _, t := range s.Tasks {
		if t.ID == id {
			return t, true
		}
	}
	return api.Task{}, false
}
