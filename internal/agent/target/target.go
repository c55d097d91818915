// Package target owns the contract of the iSCSI server that the agent drives:
// what is asked of it (Export), what it shows (Target) and how (Backend). It
// knows no server and no image folder; foreign targets are shown like ours, and
// telling them apart is the business of package export.
package target

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"ipxe-all-ready/internal/iscsi"
)

// Backend drives one iSCSI server. Its errors are faults: Unavailable when the
// server does not answer, Internal with the server's own words when it refused.
// Callers serialise calls for one IQN; calls for different ones may overlap.
type Backend interface {
	// Traits are what this kind of server can do; they never change.
	Traits() Traits
	// List is every target that the server shows, foreign ones included.
	List(ctx context.Context) ([]Target, error)
	// Ensure makes every export stand and answers for each in the order given.
	// A half-made target is completed, a standing one is left alone, one that
	// serves another file is a Conflict. What Ensure says stands was seen in
	// the server's own list.
	Ensure(ctx context.Context, exports []Export) []Result
	// Remove takes one target down. One that is absent is success, one with
	// sessions is InUse unless force closes them.
	Remove(ctx context.Context, iqn iscsi.IQN, force bool) error
	// Ping reports whether the server answers. The string names its present
	// life: when it differs from the last one, what stood may be gone.
	Ping(ctx context.Context) (string, error)
}

// Traits tell one kind of server from another.
type Traits struct {
	Name       string        // stgt or lio, as in IPXE_BACKEND
	LUN        iscsi.LUN     // the number an image is exported as
	CD         bool          // can export optical drives
	Persistent bool          // targets survive a restart of the server
	Sizes      bool          // those listed are served, whatever became of the file
	Linger     time.Duration // for which the session of a machine that died may stay listed
}

// Export is one image as it should be served.
type Export struct {
	IQN       iscsi.IQN
	Backing   string    // absolute path of a regular file
	CD        bool      // as a read-only optical drive
	Initiator iscsi.IQN // the only one that may log in; zero admits all
}

// Serial is the SCSI serial and id of the export's disk: 32 hex digits of the
// IQN's SHA-256. It depends on nothing else, so that no rebuild and no order of
// files changes what an installed system knows its disk by.
func (e Export) Serial() string {
	sum := sha256.Sum256([]byte(e.IQN.String()))
	return hex.EncodeToString(sum[:16])
}

// Result is what became of one export.
type Result struct {
	Created bool // something was made; false: it stood already
	Err     error
}

// Target is one that the server shows. Name is a plain string: what others made
// need not be an IQN that we would accept.
type Target struct {
	TID      int // 0 where the server has no such number
	Name     string
	LUNs     []LUN
	Sessions []Session
	ACL      []string // admitted addresses, initiator names or ALL
}

// LUN is one logical unit of a target.
type LUN struct {
	Number  iscsi.LUN
	Type    string // disk, cd or what the server calls it
	Backing string // empty: none
	Size    int64  // bytes; 0: not known
	Serial  string
}

// Types of LUNs that we make.
const (
	TypeDisk = "disk"
	TypeCD   = "cd"
)

// Session is one initiator that is logged in.
type Session struct {
	Initiator string
	Address   string // empty where the kernel does not tell
}

// Image is the LUN with a backing file, if t has one.
func (t Target) Image() (LUN, bool) {
	for _, l := range t.LUNs {
		if l.Backing != "" {
			return l, true
		}
	}
	return LUN{}, false
}

// Initiators are the names behind t's sessions, each once, in order.
func (t Target) Initiators() []string {
	var names []string
	seen := map[string]bool{}
	for _, s := range t.Sessions {
		if !seen[s.Initiator] {
			seen[s.Initiator] = true
			names = append(names, s.Initiator)
		}
	}
	return names
}
