package api

// BootVars is the JSON form of what a booting machine is told.
type BootVars struct {
	Hostname    string `json:"hostname,omitempty"`
	BaseIQN     string `json:"base_iqn,omitempty"`
	ISCSIServer string `json:"iscsi_server,omitempty"`
	ISCSISep    string `json:"iscsi_sep,omitempty"`
	MenuDefault string `json:"menu_default,omitempty"`
	MenuTimeout *int   `json:"menu_timeout,omitempty"` // ms
}
