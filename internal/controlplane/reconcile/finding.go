// Package reconcile owns the comparison of what the ledger says, what the
// bindings say and what the storage nodes really export. It only compares:
// provision gathers what it looks at and carries out the fixes.
package reconcile

import (
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/netboot"
)

// Kind is what does not agree.
type Kind string

// The kinds of findings.
const (
	MissingTarget    Kind = "missing_target"    // a row's target does not stand
	MissingBacking   Kind = "missing_backing"   // it stands and its file is gone
	WrongBacking     Kind = "wrong_backing"     // it serves another file than the row says
	SharedTarget     Kind = "shared_target"     // two rows have one target: two machines would write one disk
	OrphanTarget     Kind = "orphan_target"     // it bears our kind of name and no row has it
	ForeignTarget    Kind = "foreign_target"    // somebody else's, left alone
	UnboundWorker    Kind = "unbound_worker"    // a worker without a MAC
	SharedHostname   Kind = "shared_hostname"   // two machines are bound to one host name: the second is served nothing
	BadBindingLine   Kind = "bad_binding_line"  // dnsmasq skips it, or reads it otherwise than it looks
	OrphanBinding    Kind = "orphan_binding"    // a MAC bound to a name without a worker
	UnknownAgent     Kind = "unknown_agent"     // a row's node is not in the inventory
	AgentUnreachable Kind = "agent_unreachable" // nobody can tell what it exports
	BrokenRow        Kind = "broken_row"        // a row that cannot be read
	TwoInitiators    Kind = "two_initiators"    // more than one machine is on a disk
	RefusedInitiator Kind = "refused_initiator" // a closed disk did not admit a stranger in the last ten minutes
)

// Fix is what can be done about a finding by itself. None deletes a file.
type Fix string

// The fixes.
const (
	ExportAgain   Fix = "export_again"  // the file that lies on the node
	AdoptDisk     Fix = "adopt_disk"    // enter the target as the worker's disk
	RemoveTarget  Fix = "remove_target" // its file stays
	RemoveBinding Fix = "remove_binding"
)

// Finding is one thing that does not agree. Its ID names the thing, so that it
// is the same as long as the thing is.
type Finding struct {
	ID     string
	Kind   Kind
	Worker netboot.WorkerID
	Agent  netboot.AgentID
	Detail string
	Fix    Fix // "": a person has to decide

	// What a fix needs to know.
	OS       netboot.OS // zero for a CD
	IQN      string
	Hostname netboot.Hostname
	Backing  string
}

func finding(k Kind, subject string) Finding {
	return Finding{ID: string(k) + ":" + subject, Kind: k}
}

// row is a target that the ledger names.
type row struct {
	worker  netboot.WorkerID
	os      netboot.OS // zero for a CD
	agent   netboot.AgentID
	iqn     iscsi.IQN
	file    string
	backing string
}

// what names the row in a sentence.
func (r row) what() string {
	if r.os.IsZero() {
		return "the CD of worker " + r.worker.String()
	}
	return "the " + r.os.String() + " disk of worker " + r.worker.String()
}

func (r row) finding(k Kind) Finding {
	part := "cd"
	if !r.os.IsZero() {
		part = r.os.String()
	}
	f := finding(k, r.worker.String()+":"+part)
	f.Worker, f.Agent, f.OS, f.IQN = r.worker, r.agent, r.os, r.iqn.String()
	return f
}
