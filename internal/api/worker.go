package api

import "time"

// Worker is one machine.
type Worker struct {
	WorkerID   string     `json:"worker_id"`
	Hostname   string     `json:"hostname"`
	MAC        *string    `json:"mac"` // null when unbound
	Arch       string     `json:"arch"`
	State      string     `json:"state"` // registered, ready, installing, failed
	Disks      []Disk     `json:"disks"`
	CD         *CD        `json:"cd"`
	DefaultOS  string     `json:"default_os,omitempty"`
	Boot       *Boot      `json:"boot,omitempty"`
	Error      string     `json:"error,omitempty"` // why the state is failed, or the row unreadable
	CreatedAt  *time.Time `json:"created_at,omitempty"`
	LastBootAt *time.Time `json:"last_boot_at,omitempty"`
}

// Boot is what a person set for the menu.
type Boot struct {
	MenuDefault string `json:"menu_default,omitempty"`
	MenuTimeout *int   `json:"menu_timeout,omitempty"` // ms, 0 waits for ever
}

// Disk is one iSCSI disk.
type Disk struct {
	Agent    string `json:"agent"`
	IQN      string `json:"iqn"`
	Filename string `json:"filename"`
	Backing  string `json:"backing"`
	OS       string `json:"os"`
	Source   Source `json:"source"`
}

// Source says what a disk was made from.
type Source struct {
	Type string `json:"type"` // master, empty or existing
	Name string `json:"name,omitempty"`
	Size string `json:"size,omitempty"`
}

// CD is an attached installation CD.
type CD struct {
	Agent   string `json:"agent"`
	IQN     string `json:"iqn"`
	ISO     string `json:"iso"`
	Backing string `json:"backing"`
}

// Changed is the answer to a change that reloads dnsmasq.
type Changed struct {
	Worker
	Changed         *bool `json:"changed,omitempty"`          // PUT …/mac: whether anything was written
	DnsmasqReloaded *bool `json:"dnsmasq_reloaded,omitempty"` // absent when nothing had to be reloaded
}

// CreateWorker is POST /workers.
type CreateWorker struct {
	WorkerID   string `json:"worker_id"`
	MAC        string `json:"mac"`
	Hostname   string `json:"hostname,omitempty"` // default: the worker id
	Arch       string `json:"arch,omitempty"`
	WindowsISO string `json:"windows_iso,omitempty"`
	Boot       *Boot  `json:"boot,omitempty"`
}

// SetMAC is PUT /workers/{id}/mac.
type SetMAC struct {
	MAC string `json:"mac"`
}

// SetBoot is PUT /workers/{id}/default-os. An absent field stays as it is,
// null or "" clears it.
type SetBoot struct {
	OS          Optional[string] `json:"os,omitzero"`
	MenuDefault Optional[string] `json:"menu_default,omitzero"`
	MenuTimeout Optional[int]    `json:"menu_timeout,omitzero"` // ms
}

// CreateDisk is POST /workers/{id}/luns/disk.
type CreateDisk struct {
	OS        string `json:"os"`
	Type      string `json:"type"`           // master, empty or existing
	Name      string `json:"name,omitempty"` // of the master
	Size      string `json:"size,omitempty"` // of an empty disk
	DiskAgent string `json:"disk_agent,omitempty"`
}

// WorkerDeleted is the answer to DELETE /workers/{id}.
type WorkerDeleted struct {
	Deleted         string `json:"deleted"`
	DeleteDisk      bool   `json:"delete_disk"`
	DnsmasqRemoved  bool   `json:"dnsmasq_removed"`
	DnsmasqReloaded *bool  `json:"dnsmasq_reloaded,omitempty"`
}
