package provision

import (
	"context"
	"log/slog"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/controlplane/task"
)

// Agent is what the use-cases ask of one storage node. Errors are faults that
// name the node.
type Agent interface {
	Health(ctx context.Context) error
	Capabilities(ctx context.Context) (api.Capabilities, error)
	CreateDisk(ctx context.Context, in api.CreateLUN) (api.LUNCreated, error)
	CreateCD(ctx context.Context, in api.CreateCD) (api.LUNCreated, error)
	DeleteLUN(ctx context.Context, iqn string, deleteFile, force bool) error
}

// Folder is what they ask of a node's image folder and of what is exported
// from it. Errors are faults that name the node.
type Folder interface {
	Targets(ctx context.Context) ([]api.Target, error)
	Masters(ctx context.Context) (api.Masters, error)
	Scan(ctx context.Context) (api.Scan, error)
	Fencing(ctx context.Context) (api.Fencing, error)
}

// Options are the parts and the site's choices.
type Options struct {
	Ledger *ledger.Ledger
	Audit  *audit.Log
	Dial   func(*ledger.Agent) Agent // a client of that node; makes no call
	Folder func(*ledger.Agent) Folder
	Log    *slog.Logger
	Now    func() time.Time

	Tasks         *task.Registry
	Copies        func(*ledger.Agent) Copier // as Dial, of the part that makes disks
	AgentTimeout  time.Duration              // a node that tells nothing for so long is given up
	CloneTimeout  time.Duration              // so is a copy that does not grow
	FencingPause  time.Duration              // between two looks at who uses the disks; 0 is 10 s
	AgentParallel int                        // items of batches at one node at a time; 0 is 1

	DefaultArch    string
	MenuTimeout    int  // ms, of a machine with a default system
	LoopTimeout    int  // ms, of a machine that has nothing to boot yet
	AutoRegister   bool // unless settings.json says otherwise
	MaxWorkers     int  // automatic registration stops there
	StrictIdentity bool // a bound MAC names the machine, whatever host name it claims

	RegisterBurst  int           // new machines that one address may bring at once; 0: any number
	RegisterRefill time.Duration // in which it may bring one more

	OnAutoRegister func()              // after a machine was registered because it booted; nil: nobody listens
	OnTurnedAway   func(reason string) // after one was not, in a word; nil: nobody listens
}

// Service holds the use-cases. Its methods may be called side by side.
type Service struct {
	o          Options
	busy       reservations
	backends   backends
	mismatches hourly
	nameless   hourly
	strangers  *strangers
	fences     fences
	gates      gates
}

// New makes the service; it starts nothing.
func New(o Options) *Service {
	return &Service{
		o: o, mismatches: hourly{now: o.Now}, nameless: hourly{now: o.Now}, strangers: newStrangers(o),
		gates: gates{width: max(o.AgentParallel, 1)},
	}
}

func (s *Service) snapshot() *ledger.Snapshot { return s.o.Ledger.Snapshot() }

// now is the time as the ledger keeps it, to the second, so that an answer is
// the same before and after a restart.
func (s *Service) now() time.Time { return s.o.Now().UTC().Truncate(time.Second) }

// detached keeps a change going when its caller hangs up: a node has begun,
// so the ledger must hear how it ended.
func detached(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }
