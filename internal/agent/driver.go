package agent

import (
	"log/slog"

	"ipxe-all-ready/internal/agent/metrics"
	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/agent/target/lio"
	"ipxe-all-ready/internal/agent/target/stgt"
	"ipxe-all-ready/internal/agent/target/stgt/tgtd"
)

// The words of IPXE_BACKEND.
const (
	backendSTGT = "stgt"
	backendLIO  = "lio"
)

// driver is the one place that knows the kinds of iSCSI server. The supervisor
// is nil where the server is somebody else's.
func driver(o Options, log *slog.Logger, m *metrics.Metrics) (target.Backend, *tgtd.Supervisor) {
	if o.Backend == backendLIO {
		return lio.New(lio.Options{Root: o.LIORoot, Portal: o.Portal, Sync: o.LIOSync}), nil
	}
	b := stgt.New(stgt.Options{Tgtadm: o.Tgtadm, ControlPort: o.ControlPort, Portal: o.Portal, Observe: m.Tgtadm})
	if !o.Managed {
		return b, nil
	}
	return b, &tgtd.Supervisor{
		Path: "tgtd", ControlPort: o.ControlPort, Portal: o.Portal,
		Output: o.TgtdOutput, Server: b, Log: log,
	}
}
