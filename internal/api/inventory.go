package api

// PutAgent is POST /agents and, without the id, PUT /agents/{id}. An absent
// field takes its default; an empty token keeps the stored one.
type PutAgent struct {
	ID          string   `json:"id,omitempty"`
	BaseURL     string   `json:"base_url"`               // http(s)://host[:port][/path]
	Token       string   `json:"token,omitempty"`        // never comes back
	ISCSIServer string   `json:"iscsi_server,omitempty"` // default: the host of base_url
	Role        Role     `json:"role"`                   // default: neither
	Tags        []string `json:"tags,omitempty"`
	Enabled     *bool    `json:"enabled,omitempty"` // default: true
}

// AgentDeleted is the answer to DELETE /agents/{id}.
type AgentDeleted struct {
	Deleted string `json:"deleted"`
}

// ProbeAgent is POST /agents/probe.
type ProbeAgent struct {
	BaseURL string `json:"base_url"`
	Token   string `json:"token,omitempty"`    // empty: the stored one of AgentID
	AgentID string `json:"agent_id,omitempty"` // of an agent that is being edited
}

// Probe is what a node says of itself, as a proposal for its registration.
type Probe struct {
	BaseURL     string   `json:"base_url"`
	Role        Role     `json:"role"`
	Tags        []string `json:"tags"`
	ISCSIServer string   `json:"iscsi_server"`
	Enabled     bool     `json:"enabled"`
	Backend     string   `json:"backend"`
	FSType      string   `json:"fs_type"`
	BaseIQN     string   `json:"base_iqn"`
	Clone       string   `json:"clone"`
	EmptyDisk   string   `json:"empty_disk"`
	Persistent  bool     `json:"persistent"`
}
