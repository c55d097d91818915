package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/provision"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/httpx"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/netboot"
)

func (s *server) attachCD(c *gin.Context) (int, any, error) {
	id, err := netboot.ParseWorkerID(c.Param("id"))
	if err != nil {
		return 0, nil, err
	}
	in, err := httpx.Decode[api.AttachCD](c)
	if err != nil {
		return 0, nil, err
	}
	n := provision.NewCD{Worker: id, Client: c.ClientIP()}
	if n.ISO, err = image.ParseCD(in.ISO); err != nil {
		return 0, nil, err
	}
	if in.CDAgent != "" {
		if n.Agent, err = netboot.ParseAgentID(in.CDAgent); err != nil {
			return 0, nil, err
		}
	}
	w, err := s.Provision.AttachCD(c.Request.Context(), n)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, workerView(s.Ledger.Snapshot(), w), nil
}

func (s *server) detachCD(c *gin.Context) (int, any, error) {
	id, err := netboot.ParseWorkerID(c.Param("id"))
	if err != nil {
		return 0, nil, err
	}
	r, err := removal(c, "delete_file")
	if err == nil && r.DeleteFile {
		err = fault.New(fault.Invalid, "delete_file=true is given, but an ISO is the site's and stays")
	}
	if err != nil {
		return 0, nil, err
	}
	w, err := s.Provision.DetachCD(c.Request.Context(), id, r)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, workerView(s.Ledger.Snapshot(), w), nil
}
