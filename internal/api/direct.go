package api

// DirectDisk is POST /agents/{id}/luns/disk: one of Master and Size.
type DirectDisk struct {
	IQN      string `json:"iqn"`
	Filename string `json:"filename,omitempty"` // default: the node's, after the IQN
	Master   string `json:"master,omitempty"`
	Size     string `json:"size,omitempty"`
}

// TargetDeleted is the answer to DELETE /agents/{id}/luns.
type TargetDeleted struct {
	Deleted        string `json:"deleted"`
	DeleteFile     bool   `json:"delete_file"`
	IgnoredMissing bool   `json:"ignored_missing,omitempty"` // there was no such target
}

// MastersByAgent is GET /masters.
type MastersByAgent struct {
	Agents []AgentMasters `json:"agents"`
}

// AgentMasters are one node's golden images, or why they are not known.
type AgentMasters struct {
	Agent       string   `json:"agent"`
	ISCSIServer string   `json:"iscsi_server"`
	Masters     []Master `json:"masters"`
	Error       string   `json:"error,omitempty"`
}

// AgentSession is one row of GET /agents/{id}/sessions: an initiator that is
// logged in to a target of that node now.
type AgentSession struct {
	IQN       string  `json:"iqn"`                 // of the target
	WorkerID  string  `json:"worker_id,omitempty"` // absent where no worker has that target
	OS        string  `json:"os,omitempty"`        // absent for a CD
	Initiator string  `json:"initiator"`
	Address   *string `json:"address"` // null where the backend does not tell
}

// AttachCD is POST /workers/{id}/luns/cd.
type AttachCD struct {
	ISO     string `json:"iso"`
	CDAgent string `json:"cd_agent,omitempty"` // default: a healthy one with the CD role
}
