package agent

import (
	"context"

	"ipxe-all-ready/internal/httpx"
)

// Alive asks the daemon that runs with these options, in another process,
// whether it answers. An iSCSI server that does not is no fault of the agent's.
func (o Options) Alive(ctx context.Context) error {
	return httpx.AliveAt(ctx, o.Listen, o.TLSCert != "")
}
