package api

// CreateDisks is POST /workers/luns/disk/batch: one disk for each target.
type CreateDisks struct {
	Type    string        `json:"type"` // as in CreateDisk
	OS      string        `json:"os"`
	Name    string        `json:"name,omitempty"`
	Size    string        `json:"size,omitempty"`
	Targets []BatchTarget `json:"targets"`
}

// BatchTarget is a worker and the node that its disk goes to.
type BatchTarget struct {
	WorkerID string `json:"worker_id"`
	Agent    string `json:"agent"`
}

// DisksCreated is the answer: every target asked for stands in one of the
// lists, each in the order asked.
type DisksCreated struct {
	Succeeded []BatchDisk    `json:"succeeded"`
	Skipped   []BatchSkipped `json:"skipped"`
	Failed    []BatchFailed  `json:"failed"`
}

// BatchDisk is a disk that was made.
type BatchDisk struct {
	WorkerID string `json:"worker_id"`
	Agent    string `json:"agent"`
	IQN      string `json:"iqn"`
}

// BatchSkipped is a worker that had such a disk.
type BatchSkipped struct {
	WorkerID string `json:"worker_id"`
	Reason   string `json:"reason"`
}

// BatchFailed is a worker whose disk could not be made.
type BatchFailed struct {
	WorkerID string `json:"worker_id"` // as it was asked for
	Agent    string `json:"agent"`
	Error    string `json:"error"`
}

// DeleteWorkers is POST /workers/delete/batch.
type DeleteWorkers struct {
	WorkerIDs           []string `json:"worker_ids"`
	DeleteDisk          bool     `json:"delete_disk,omitempty"`
	IgnoreMissingTarget bool     `json:"ignore_missing_target,omitempty"`
}

// WorkersDeleted is the answer, each list in the order asked.
type WorkersDeleted struct {
	Succeeded       []DeletedWorker   `json:"succeeded"`
	Failed          []UndeletedWorker `json:"failed"`
	DnsmasqReloaded *bool             `json:"dnsmasq_reloaded,omitempty"` // absent when nothing had to be reloaded
}

// DeletedWorker is a worker that is gone.
type DeletedWorker struct {
	WorkerID string `json:"worker_id"`
	Hostname string `json:"hostname"`
}

// UndeletedWorker is a worker that stays.
type UndeletedWorker struct {
	WorkerID string `json:"worker_id"` // as it was asked for
	Error    string `json:"error"`
}
