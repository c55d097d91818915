package controlplane

import (
	"cmp"
	"fmt"
	"time"

	"ipxe-all-ready/internal/certs"
	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/internal/config"
	"ipxe-all-ready/internal/controlplane/ledger"
)

// readCertificates reads those that the API shows, and those of nodes. What is
// refused at the start is a setting that is wrong.
func (cp *ControlPlane) readCertificates(o Options) (err error) {
	if o.TLSCert != "" {
		if cp.shown, err = certs.NewServer(o.TLSCert, o.TLSKey, "", cp.log); err != nil {
			return config.Wrong(fmt.Errorf("IPXE_CP_TLS_CERT and IPXE_CP_TLS_KEY: %w", err))
		}
	}
	if cp.nodes, err = certs.NewClient(o.AgentCA, o.AgentCert, o.AgentKey, cp.log); err != nil {
		return config.Wrong(fmt.Errorf("IPXE_CP_AGENT_TLS_CA, IPXE_CP_AGENT_TLS_CERT and IPXE_CP_AGENT_TLS_KEY: %w", err))
	}
	return nil
}

// certificateNotes say what is wrong with the files as they stand: what was
// read before serves on, until it expires.
func (cp *ControlPlane) certificateNotes() []string {
	return append(cp.shown.Faults(), cp.nodes.Faults()...)
}

// dialer makes clients of nodes, which share their connections.
func (cp *ControlPlane) dialer(o Options) func(*ledger.Agent) *client.Agent {
	shared := client.NewHTTPS(o.AgentTimeout, cp.nodes.Config)
	return func(a *ledger.Agent) *client.Agent {
		return client.NewAgent(client.AgentOptions{
			ID: cmp.Or(a.ID.String(), a.BaseURL), BaseURL: a.BaseURL, Token: a.Token,
			Timeout: o.AgentTimeout, Clone: o.CloneTimeout, HTTP: shared,
			Observe: func(route string, err error, took time.Duration) {
				cp.metrics.AgentCall(a.ID.String(), route, err, took)
			},
		})
	}
}
