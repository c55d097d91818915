package ledger

import (
	"slices"
	"sync/atomic"
	"time"

	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/netboot"
	"ipxe-all-ready/internal/secret"
)

// State is where a worker stands.
type State string

// The states of a worker.
const (
	Registered State = "registered" // no disk
	Ready      State = "ready"      // a disk
	Installing State = "installing" // an installation CD is attached
	Failed     State = "failed"     // see Worker.Error
)

// Worker is one row of the storage ledger. It never holds a MAC: the bindings
// are the only truth about those. A *Worker in a Snapshot is never changed;
// a change makes a copy.
type Worker struct {
	ID        netboot.WorkerID
	Hostname  netboot.Hostname
	Arch      string
	State     State
	Disks     []Disk
	CD        *CD
	DefaultOS netboot.OS
	Boot      Boot
	Error     string    // why State is Failed
	CreatedAt time.Time // zero when the file does not say

	// Broken says why this row could not be read; then only ID holds. A broken
	// row is shown and never booted or changed.
	Broken string

	life *life
}

// life is what all versions of a row have in common.
type life struct {
	booted atomic.Int64 // when it last asked for its boot script, in Unix nanoseconds, 0 for never
	kept   atomic.Value
}

// lifeOf is what the next version of w has; w is nil for a new worker.
func lifeOf(w *Worker) *life {
	if w == nil {
		return &life{}
	}
	return w.life
}

// Keep leaves v, always of one type, for whoever asks Kept of this or another
// version of the row of a snapshot: what is made of a row need not be made
// twice, if it says what it was made of. A restart forgets it.
func (w *Worker) Keep(v any) { w.life.kept.Store(v) }

// Kept is what was left last, or nil.
func (w *Worker) Kept() any { return w.life.kept.Load() }

// Boot is what a person set for the boot menu.
type Boot struct {
	MenuDefault netboot.MenuItem
	MenuTimeout *int // milliseconds, 0 waits for ever; nil is not set
}

// Disk is one iSCSI disk of a worker.
type Disk struct {
	Agent    netboot.AgentID
	IQN      iscsi.IQN
	Filename image.Name
	Backing  string // the path on the storage node, as its agent told it
	OS       netboot.OS
	Source   Source
}

// Source says what a disk was made from.
type Source struct {
	Type string // "master" or "empty"; "existing" where a file found on the node was attached
	Name string // the master's file name
	Size string // of an empty disk, as it was asked for
}

// CD is the installation CD attached to a worker.
type CD struct {
	Agent   netboot.AgentID
	IQN     iscsi.IQN
	ISO     image.Name
	Backing string
}

// Disk is the disk that holds os.
func (w *Worker) Disk(os netboot.OS) (Disk, bool) {
	i := slices.IndexFunc(w.Disks, func(d Disk) bool { return d.OS == os })
	if i < 0 {
		return Disk{}, false
	}
	return w.Disks[i], true
}

// On reports whether a disk or the CD of w is on a node.
func (w *Worker) On(agent netboot.AgentID) bool {
	return w.CD != nil && w.CD.Agent == agent ||
		slices.ContainsFunc(w.Disks, func(d Disk) bool { return d.Agent == agent })
}

// BootDisk is the disk of the default system, else the first.
func (w *Worker) BootDisk() (Disk, bool) {
	if d, ok := w.Disk(w.DefaultOS); ok {
		return d, true
	}
	if len(w.Disks) == 0 {
		return Disk{}, false
	}
	return w.Disks[0], true
}

// Clone is a deep copy that may be changed.
func (w *Worker) Clone() *Worker {
	c := *w
	c.Disks = slices.Clone(w.Disks)
	if w.CD != nil {
		cd := *w.CD
		c.CD = &cd
	}
	if w.Boot.MenuTimeout != nil {
		t := *w.Boot.MenuTimeout
		c.Boot.MenuTimeout = &t
	}
	return &c
}

// Settle sets State from what is attached.
func (w *Worker) Settle() {
	w.Error = ""
	switch {
	case w.CD != nil:
		w.State = Installing
	case len(w.Disks) > 0:
		w.State = Ready
	default:
		w.State = Registered
	}
}

// Agent is one storage node of the inventory. Like Worker it is never changed
// in place.
type Agent struct {
	ID          netboot.AgentID
	BaseURL     string // http(s)://host[:port][/path], no trailing slash
	Token       secret.Text
	ISCSIServer iscsi.Host // where its targets are served: the file's iscsi_server, else BaseURL's host
	RoleDisk    bool
	RoleCD      bool
	Tags        []string
	Enabled     bool

	rawToken string // as the file has it, ${ENV} unexpanded; empty: Token as it is
}

// Backend is the storage backend that the tags name: "stgt", "lio" or "".
func (a *Agent) Backend() string {
	for _, t := range a.Tags {
		if t == "stgt" || t == "lio" {
			return t
		}
	}
	return ""
}

// Settings is settings.json.
type Settings struct {
	AutoRegister *bool              // nil: the environment decides
	Retired      []netboot.Hostname // names not given again by themselves: their disk files were kept
}

// Fault is a file that a person broke: the last good content is served and
// nothing is written to it.
type Fault struct {
	File string    // its path
	Line int       // 1-based; 0 when the fault is of the whole file
	Text string    // what is wrong, a sentence
	Do   string    // what mends it; "": an editor
	At   time.Time // when it was seen
}
