package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/httpx"
	"ipxe-all-ready/internal/netboot"
)

func (s *server) setMAC(c *gin.Context) (int, any, error) {
	id, err := netboot.ParseWorkerID(c.Param("id"))
	if err != nil {
		return 0, nil, err
	}
	in, err := httpx.Decode[api.SetMAC](c)
	if err != nil {
		return 0, nil, err
	}
	mac, err := netboot.ParseMAC(in.MAC)
	if err != nil {
		return 0, nil, err
	}
	out, err := s.Provision.SetMAC(c.Request.Context(), id, mac, c.ClientIP())
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, api.Changed{
		Worker: workerView(s.Ledger.Snapshot(), out.Worker), Changed: &out.Changed, DnsmasqReloaded: out.Receipt.Reloaded,
	}, nil
}
