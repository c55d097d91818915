package api

// WorkerStatus is GET /workers/{id}/status: what the files say of a worker
// beside what dnsmasq and the nodes really have.
type WorkerStatus struct {
	Worker Worker `json:"worker"`
	Actual Actual `json:"actual"`
}

// Actual is what was found.
type Actual struct {
	Dnsmasq Binding      `json:"dnsmasq"`
	Disks   []DiskStatus `json:"disks"`
	CD      *LUNStatus   `json:"cd"` // null without a CD
}

// Binding is the line of dhcp-hosts.conf.
type Binding struct {
	Hostname string  `json:"hostname"`
	MAC      *string `json:"mac"` // null when unbound
}

// DiskStatus is one disk of a worker.
type DiskStatus struct {
	OS string `json:"os"`
	LUNStatus
}

// LUNStatus is one target of a worker as its node shows it. With an error
// nobody can tell whether it stands.
type LUNStatus struct {
	Agent    string    `json:"agent"`
	IQN      string    `json:"iqn"`
	Exists   bool      `json:"exists"`
	Target   *Target   `json:"target"`
	Error    string    `json:"error,omitempty"`
	Sessions []Session `json:"sessions,omitzero"` // absent where the node does not tell
}
