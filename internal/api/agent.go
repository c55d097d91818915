package api

import "time"

// Agent is one storage node as the control plane shows it: never with its token.
type Agent struct {
	ID           string        `json:"id"`
	BaseURL      string        `json:"base_url"`
	ISCSIServer  string        `json:"iscsi_server"`
	Role         Role          `json:"role"`
	Enabled      bool          `json:"enabled"`
	Tags         []string      `json:"tags"`
	Health       string        `json:"health,omitempty"` // ok, unreachable, unauthorized, disabled; absent when not asked
	Capabilities *Capabilities `json:"capabilities,omitempty"`
	Error        string        `json:"error,omitempty"`
}

// Role says what a node may hold.
type Role struct {
	Disk bool `json:"disk"`
	CD   bool `json:"cd"`
}

// Capabilities is an agent's GET /capabilities.
type Capabilities struct {
	Backend    string `json:"backend"` // stgt or lio
	FSType     string `json:"fs_type"`
	CD         bool   `json:"cd"`
	Persistent bool   `json:"persistent"` // targets survive a restart of the iSCSI server by themselves
	BaseIQN    string `json:"base_iqn"`
	Clone      string `json:"clone"`      // "reflink (FICLONE)" or "full copy (<reason>)"
	EmptyDisk  string `json:"empty_disk"` // how a blank disk is made
	Version    string `json:"version,omitempty"`
	FreeBytes  int64  `json:"free_bytes"`
	TotalBytes int64  `json:"total_bytes"`
	Targets    int    `json:"targets"`
}

// Target is one row of an agent's GET /lun.
type Target struct {
	TID      *int      `json:"tid,omitempty"` // stgt only
	IQN      string    `json:"iqn"`
	LUNs     []LUN     `json:"luns"`
	Sessions []Session `json:"sessions,omitzero"` // absent where the agent does not tell
}

// LUN is one unit of a target; stgt's controller LUN 0 has no backing.
type LUN struct {
	LUN     int     `json:"lun"`
	Backing *string `json:"backing"`
	Type    string  `json:"type,omitempty"` // disk, cd or controller
	Size    int64   `json:"size,omitempty"` // bytes
}

// Session is one initiator that is logged in.
type Session struct {
	Initiator string  `json:"initiator"`
	Address   *string `json:"address"` // null where the backend does not tell
}

// Fencing is an agent's GET /fencing: what is wrong with who uses its disks.
type Fencing struct {
	ACL       string    `json:"acl"` // all or initiator
	Rivalries []Rivalry `json:"rivalries"`
	Refusals  []Refusal `json:"refusals"`        // of the last ten minutes
	Blind     string    `json:"blind,omitempty"` // why refusals cannot be seen
}

// Rivalry is a disk with more than one machine on it.
type Rivalry struct {
	IQN      string    `json:"iqn"`
	Since    time.Time `json:"since"`
	Sessions []Session `json:"sessions"`
}

// Refusal is an initiator that a disk did not admit.
type Refusal struct {
	IQN       string    `json:"iqn"`
	Initiator string    `json:"initiator"`
	Address   string    `json:"address"`
	First     time.Time `json:"first"`
	Last      time.Time `json:"last"`
	Count     int       `json:"count"`
}

// CreateLUN is an agent's POST /lun/disk: one of Master, Size, Existing.
type CreateLUN struct {
	IQN      string `json:"iqn"`
	Filename string `json:"filename,omitempty"`
	Master   string `json:"master,omitempty"`
	Size     string `json:"size,omitempty"`
	Existing bool   `json:"existing,omitempty"`
}

// CreateCD is an agent's POST /lun/cd.
type CreateCD struct {
	ISO string `json:"iso"`
	IQN string `json:"iqn,omitempty"`
}

// LUNCreated is the answer to both.
type LUNCreated struct {
	IQN     string `json:"iqn"`
	Backing string `json:"backing"`
	Clone   string `json:"clone,omitempty"` // reflink or copy
	Bytes   int64  `json:"bytes,omitempty"` // of a clone
}

// LUNDeleted is the answer to DELETE /lun.
type LUNDeleted struct {
	Deleted    string `json:"deleted"`
	DeleteFile bool   `json:"delete_file"`
}

// Scan is the answer to POST /lun/scan.
type Scan struct {
	Created []Scanned    `json:"created"`
	Skipped []string     `json:"skipped"`
	Failed  []ScanFailed `json:"failed,omitempty"`
}

// Scanned is one image that got its target.
type Scanned struct {
	IQN string `json:"iqn"`
	CD  bool   `json:"cd"`
}

// ScanFailed is one file that could not be exported.
type ScanFailed struct {
	Name  string `json:"name"`
	Error string `json:"error"`
}

// Masters is the answer to an agent's GET /masters.
type Masters struct {
	Masters []Master `json:"masters"`
}

// Master is one golden image.
type Master struct {
	Name  string    `json:"name"`
	Size  int64     `json:"size"` // bytes
	MTime time.Time `json:"mtime"`
}
