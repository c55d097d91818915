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

func (s *server) createDisk(c *gin.Context) (int, any, error) {
	id, err := netboot.ParseWorkerID(c.Param("id"))
	if err != nil {
		return 0, nil, err
	}
	in, err := httpx.Decode[api.CreateDisk](c)
	if err != nil {
		return 0, nil, err
	}
	n, err := newDisk(in)
	if err != nil {
		return 0, nil, err
	}
	n.Worker, n.Client = id, c.ClientIP()
	if httpx.PrefersAsync(c.Request.Header) {
		j, err := s.Provision.StartDisk(n)
		if err != nil {
			return 0, nil, err
		}
		return accepted(c, j.TaskID())
	}
	w, err := s.Provision.CreateDisk(n)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, workerView(s.Ledger.Snapshot(), w), nil
}

func newDisk(in api.CreateDisk) (n provision.NewDisk, err error) {
	if n.OS, err = netboot.ParseOS(in.OS); err != nil {
		return n, err
	}
	if in.DiskAgent != "" {
		if n.Agent, err = netboot.ParseAgentID(in.DiskAgent); err != nil {
			return n, err
		}
	}
	switch in.Type {
	case "master":
		if in.Size != "" {
			return n, fault.New(fault.Invalid, "size %q is given, but a disk of type master has its master's size", fault.Clip(in.Size))
		}
		n.Master, err = image.ParseMaster(in.Name)
	case "empty":
		if in.Name != "" {
			return n, fault.New(fault.Invalid, "name %q is given, but a disk of type empty has no master", fault.Clip(in.Name))
		}
		n.Size = in.Size
		_, err = image.ParseSize(in.Size)
	case "existing":
		if in.Name != "" || in.Size != "" {
			return n, fault.New(fault.Invalid, "name or size is given, but a disk of type existing is the file that was kept")
		}
		n.Existing = true
	default:
		return n, fault.New(fault.Invalid, "type %q is not one of master, empty, existing", fault.Clip(in.Type))
	}
	return n, err
}

func (s *server) deleteDisk(c *gin.Context) (int, any, error) {
	id, err := netboot.ParseWorkerID(c.Param("id"))
	if err != nil {
		return 0, nil, err
	}
	os, err := netboot.ParseOS(c.Param("os"))
	if err != nil {
		return 0, nil, err
	}
	r, err := removal(c, "delete_file")
	if err != nil {
		return 0, nil, err
	}
	w, err := s.Provision.DeleteDisk(c.Request.Context(), id, os, r)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, workerView(s.Ledger.Snapshot(), w), nil
}
