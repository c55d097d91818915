// Package export owns the use-cases of a storage node: make a disk or a CD and
// serve it, take it down, bring the targets in line with the image folder, and
// notice when the iSCSI server lost them. It holds the rules that span folder
// and server: one target a disk, masters are sacred, foreign targets are left
// alone, a file is whole before its target stands.
package export

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/iscsi"
)

// Options of a Service.
type Options struct {
	Base    iscsi.Base
	Store   *store.Store
	Backend target.Backend
	// OwnInitiator admits only <base>:<hostname> to <base>:<hostname>.<os>.
	OwnInitiator bool
	// Served is the file that keeps what each target serves; empty: only this process knows.
	Served   string
	Observer Observer // nil: nobody listens
}

// Service runs the use-cases. It is safe for concurrent use.
type Service struct {
	o      Options
	locks  *locks
	served *served
	scan   chan struct{} // holds one token while no scan runs
	owed   atomic.Bool   // a request left a target less than the folder asks for
}

// New makes no call.
func New(o Options) *Service {
	if o.Observer == nil {
		o.Observer = nobody{}
	}
	s := &Service{o: o, locks: newLocks(), served: openServed(o.Served), scan: make(chan struct{}, 1)}
	s.scan <- struct{}{}
	return s
}

// Targets lists what the server shows, foreign targets included.
func (s *Service) Targets(ctx context.Context) ([]target.Target, error) {
	s.learn(ctx)
	targets, err := s.o.Backend.List(ctx)
	s.trueSizes(targets)
	return targets, err
}

// Created is a target that stands.
type Created struct {
	IQN     iscsi.IQN
	Backing string
	Clone   store.Cloned // zero where nothing was cloned
}

// ours refuses an IQN outside the base.
func (s *Service) ours(q iscsi.IQN) error {
	if !s.o.Base.Holds(q) {
		return fault.New(fault.Invalid, "iqn base mismatch: %s does not start with %s:", q, s.o.Base)
	}
	return nil
}

// export is n as it should be served under q.
func (s *Service) export(q iscsi.IQN, n image.Name) target.Export {
	e := target.Export{IQN: q, Backing: s.o.Store.Path(n), CD: n.IsCD()}
	if s.o.OwnInitiator {
		e.Initiator = ownInitiator(s.o.Base, q)
	}
	return e
}

// ended is told how a request ended, after its locks are given back. One that
// the server did not see through may have left a target without its disk, or
// closed to its machine: the folder is to be compared again.
func (s *Service) ended(err error) {
	if unsettled(err) {
		s.owed.Store(true)
	}
}

func unsettled(err error) bool {
	return err != nil && (fault.Is(err, fault.Internal) || fault.Is(err, fault.Unavailable))
}

// derived is the IQN that a file's name stands for.
func (s *Service) derived(n image.Name) (iscsi.IQN, error) { return s.o.Base.IQN(n.Suffix()) }

// ensure makes one target of i; stood says that it served it before. It does not stop when the caller hangs up: half a
// target helps nobody, and the driver bounds every step.
func (s *Service) ensure(ctx context.Context, q iscsi.IQN, n image.Name, stood bool) error {
	i, err := s.o.Store.Stat(n)
	if err != nil {
		return err
	}
	r := s.o.Backend.Ensure(context.WithoutCancel(ctx), []target.Export{s.export(q, n)})[0]
	if r.Err == nil {
		s.remember(q, i, stood || !r.Created)
	}
	return r.Err
}

// standing is what the server shows, looked up by IQN and by file.
type standing struct {
	targets []target.Target
	byName  map[string]target.Target
	byFile  map[string]target.Target
}

func (s *Service) standing(ctx context.Context) (standing, error) {
	s.learn(ctx)
	targets, err := s.o.Backend.List(ctx)
	if err != nil {
		return standing{}, err
	}
	st := standing{targets: targets, byName: map[string]target.Target{}, byFile: map[string]target.Target{}}
	for _, t := range targets {
		st.byName[t.Name] = t
		for _, l := range t.LUNs {
			if file, ok := s.o.Store.Holds(l.Backing); ok {
				st.byFile[file] = t
			}
		}
	}
	return st, nil
}

// file is the file of the folder that t serves.
func (s *Service) file(t target.Target) (string, bool) {
	l, _ := t.Image()
	return s.o.Store.Holds(l.Backing)
}

// serves reports whether t serves n and nothing else.
func (s *Service) serves(t target.Target, n image.Name) bool {
	file, ok := s.file(t)
	return ok && file == n.String()
}

// cdSector is the least a CD holds, in bytes.
const cdSector = 2048

// whole refuses a file that makes no disk and no CD.
func whole(i store.Image) error {
	if !i.Name.IsCD() {
		return store.Fits(i.File, i.Size)
	}
	if i.Size < cdSector {
		return fault.New(fault.Conflict, "%s holds %d bytes, less than one sector of %d", i.Name, i.Size, cdSector)
	}
	return nil
}

// note keeps what n's name does not tell of q, and drops what says otherwise.
func (s *Service) note(q iscsi.IQN, n image.Name) error {
	derived, err := s.derived(n)
	if err == nil && derived == q {
		if n.IsCD() {
			return nil // the default IQN of a CD stands beside its others
		}
		return s.o.Store.ForgetFile(n)
	}
	return s.o.Store.Note(q, n)
}

// unclaimed refuses an IQN that another file of the folder was given.
func (s *Service) unclaimed(q iscsi.IQN, n image.Name) error {
	notes, _, err := s.o.Store.Notes()
	if err != nil {
		return fmt.Errorf("look whose iqn %s is: %w", q, err)
	}
	i := slices.IndexFunc(notes, func(o store.Note) bool { return o.IQN == q && o.Name != n })
	if i < 0 {
		return nil
	}
	if _, err := s.o.Store.Stat(notes[i].Name); fault.Is(err, fault.NotFound) {
		return nil // its file is gone, and the claim with it
	}
	return fault.New(fault.Exists, "iqn %s belongs to %s", q, notes[i].Name)
}
