package ledger

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"ipxe-all-ready/internal/controlplane/dhcphosts"
)

// Options says where the files are and whom to tell.
type Options struct {
	WorkersFile  string
	AgentsFile   string
	SettingsFile string
	HostsFile    string // dhcp-hosts.conf
	BootsFile    string // last_boot_at; empty keeps it in memory only
	JournalFile  string // guards the in-place rewrite of HostsFile; the default is beside WorkersFile

	Reload   dhcphosts.Reloader       // nil: dnsmasq is not reloaded
	Poll     time.Duration            // how often files are compared; default 500 ms
	Getenv   func(name string) string // ${ENV} in agent tokens; default os.Getenv
	OnReload func(err error)          // after every reload, retries included; nil error is success
	Log      *slog.Logger             // default discards
	Now      func() time.Time         // default time.Now

	// DefaultArch is that of rows that do not say, as older ledgers' do not. The
	// file is not written for it.
	DefaultArch string

	// May is asked before each write; what it answers but nil refuses it. nil: always.
	May func() error

	format format // which schema, zero: the present one

	// OnCommit hears of every write, before its callers are answered; a nil error is success.
	OnCommit func(changes int, took time.Duration, err error)
	// OnChange hears of everything that readers see from then on, in order and
	// before its callers are answered. It must not block. nil costs nothing.
	OnChange func(Change)
}

// Receipt is what a successful Commit brought about.
type Receipt struct {
	// Reloaded is nil when there was nothing to reload: no binding changed, or
	// reloading is off. False is a reload that failed, or was not over two seconds
	// after the change, whatever it waited behind; it is retried until it succeeds.
	Reloaded *bool
}

// Ledger is the files, read and watched.
type Ledger struct {
	o       Options
	current atomic.Pointer[Snapshot]
	faults  atomic.Pointer[[]Fault]

	mu      sync.Mutex // guards waiting and closed
	waiting []*request
	closed  bool
	wake    chan struct{} // holds one token while something waits

	book   *book // the committer's alone, once Run has started
	boots  *boots
	reload *reloading
}

// Open reads all files and creates missing folders and an empty dhcp-hosts.conf
// (dnsmasq does not start without it). A broken file does not stop it: what can
// be read is served and Faults names the rest. It starts nothing; see Run.
func Open(o Options) (*Ledger, error) {
	l := &Ledger{o: o.withDefaults(), wake: make(chan struct{}, 1), boots: &boots{path: o.BootsFile}}
	l.reload = newReloading(l.o)
	b, err := openBook(l.o)
	if err != nil {
		return nil, err
	}
	l.book = b
	l.publish()
	if err := l.boots.load(l.Snapshot().workers); err != nil {
		l.o.Log.Warn("last boots forgotten", "err", err)
	}
	return l, nil
}

func (o Options) withDefaults() Options {
	if o.format.version == 0 {
		o.format = presentFormat()
	}
	if o.JournalFile == "" {
		o.JournalFile = o.WorkersFile + ".hosts-journal"
	}
	if o.Poll <= 0 {
		o.Poll = 500 * time.Millisecond
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.OnReload == nil {
		o.OnReload = func(error) {}
	}
	if o.OnCommit == nil {
		o.OnCommit = func(int, time.Duration, error) {}
	}
	if o.May == nil {
		o.May = func() error { return nil }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Snapshot is the ledger as of the last commit or hand edit. It is never nil,
// takes no lock and never changes.
func (l *Ledger) Snapshot() *Snapshot { return l.current.Load() }

// Faults lists the files that a person broke and has not mended yet.
func (l *Ledger) Faults() []Fault { return *l.faults.Load() }

// MarkBoot notes that w, of a snapshot, asked for its boot script. It takes no lock
// and writes nothing; the times reach BootsFile every 30 seconds and when Run ends.
func (l *Ledger) MarkBoot(w *Worker, at time.Time) {
	w.life.booted.Store(at.UnixNano())
	if !l.boots.dirty.Load() { // no shared line is written that need not be
		l.boots.dirty.Store(true)
	}
	l.boots.marks.Add(1)
}

// Boots counts what MarkBoot noted since the start: while it and Snapshot stay
// the same, so does everything that can be read from the ledger.
func (l *Ledger) Boots() uint64 { return l.boots.marks.Load() }

// publish makes the book's state what readers see.
func (l *Ledger) publish() {
	l.current.Store(l.book.snapshot())
	faults := l.book.faults()
	l.faults.Store(&faults)
}

// Commit runs fn in the committer on a copy of the ledger and returns when its
// changes are on disk and visible in Snapshot. Changes that wait together are
// written together. An error from fn undoes what this fn changed, and only
// that, and is returned as it is. fn may run more than once, when a person
// edited a file in the same instant: it must only read the Tx, change the Tx
// and assign results. It must not block.
//
// A change to a file that a person broke is fault.Unavailable with the code
// ledger_unreadable; a full disk is fault.NoSpace. Once fn has been taken up,
// ctx no longer cuts the wait: the answer is what happened.
func (l *Ledger) Commit(ctx context.Context, fn func(*Tx) error) (Receipt, error) {
	a := l.do(ctx, &request{fn: fn, waits: true, done: make(chan answer, 1)})
	if a.reload == nil {
		return Receipt{}, a.err
	}
	return Receipt{Reloaded: a.reload.wait()}, a.err
}

// CommitNoWait is Commit for those who do not ask how dnsmasq took it: a reload
// follows the change and is not waited for.
func (l *Ledger) CommitNoWait(ctx context.Context, fn func(*Tx) error) error {
	return l.do(ctx, &request{fn: fn, done: make(chan answer, 1)}).err
}

func (l *Ledger) do(ctx context.Context, r *request) answer {
	if err := l.enqueue(r); err != nil {
		return answer{err: err}
	}
	select {
	case a := <-r.done:
		return a
	case <-ctx.Done():
	}
	if r.taken.CompareAndSwap(false, true) {
		return answer{err: ctx.Err()} // nobody has run it and nobody will
	}
	return <-r.done
}
