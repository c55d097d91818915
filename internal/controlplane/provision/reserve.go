package provision

import (
	"strings"
	"sync"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// reservations keep two requests from making or removing the same disk or
// worker at once. They hold no lock while a node works, so boot and MAC edits
// go on.
type reservations struct {
	mu      sync.Mutex
	workers map[netboot.WorkerID]*workerBusy
}

// workerBusy is what is under way at one worker: the whole of it, or some disks.
type workerBusy struct {
	whole string // what is done to it, "" when only disks are
	disks map[netboot.OS]string
}

// worker reserves the whole worker; release ends it.
func (r *reservations) worker(id netboot.WorkerID, doing string) (release func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if b := r.workers[id]; b != nil {
		return nil, b.fault(id, b.first())
	}
	r.put(id, &workerBusy{whole: doing})
	return func() { r.free(id) }, nil
}

// disk reserves one system's disk; the others stay free.
func (r *reservations) disk(id netboot.WorkerID, os netboot.OS, doing string) (release func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.workers[id]
	if b != nil && (b.whole != "" || b.disks[os] != "") {
		return nil, b.fault(id, os)
	}
	if b == nil {
		b = &workerBusy{disks: make(map[netboot.OS]string)}
		r.put(id, b)
	}
	b.disks[os] = doing
	return func() { r.freeDisk(id, os) }, nil
}

// cd reserves the worker's CD. It is kept among the disks, under the system
// that none of them has.
func (r *reservations) cd(id netboot.WorkerID, doing string) (release func(), err error) {
	return r.disk(id, netboot.OS{}, doing)
}

func (r *reservations) put(id netboot.WorkerID, b *workerBusy) {
	if r.workers == nil {
		r.workers = make(map[netboot.WorkerID]*workerBusy)
	}
	r.workers[id] = b
}

func (r *reservations) free(id netboot.WorkerID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.workers, id)
}

func (r *reservations) freeDisk(id netboot.WorkerID, os netboot.OS) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.workers[id]
	delete(b.disks, os)
	if len(b.disks) == 0 {
		delete(r.workers, id)
	}
}

// any reports whether something of the worker is reserved.
func (r *reservations) any(id netboot.WorkerID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.workers[id] != nil
}

// first is the disk that a clash with the whole worker names: the same one
// however often it is asked.
func (b *workerBusy) first() (first netboot.OS) {
	for os := range b.disks {
		if first.IsZero() || !os.IsZero() && os.String() < first.String() {
			first = os
		}
	}
	return first
}

// fault says what stands in the way: what is done to the whole worker, else to
// its disk of os.
func (b *workerBusy) fault(id netboot.WorkerID, os netboot.OS) error {
	switch {
	case b.whole != "":
		return fault.New(fault.InProgress, "worker %s is being %s", id, byWhom(b.whole))
	case os.IsZero():
		return fault.New(fault.InProgress, "the CD of worker %s is being %s", id, byWhom(b.disks[os]))
	}
	return fault.New(fault.InProgress, "the %s disk of worker %s is being %s", os, id, byWhom(b.disks[os]))
}

// madeBy and deletedBy say what a task does to what it reserves.
func madeBy(taskID string) string    { return "made by task " + taskID }
func deletedBy(taskID string) string { return "deleted by task " + taskID }

// byWhom completes what is done to a thing by a request that is no task.
func byWhom(doing string) string {
	if strings.Contains(doing, " by task ") {
		return doing
	}
	return doing + " by another request"
}
