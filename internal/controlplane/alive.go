package controlplane

import (
	"cmp"
	"context"

	"ipxe-all-ready/internal/httpx"
)

// Alive asks the daemon that runs with these options, in another process,
// whether it answers. Its plain port is asked, as the daemon asks itself.
func (o Options) Alive(ctx context.Context) error {
	return httpx.AliveAt(ctx, cmp.Or(o.BootListen, o.Listen), false)
}
