package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/provision"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/httpx"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/netboot"
)

func (s *server) listTargets(c *gin.Context) (int, any, error) {
	id, err := netboot.ParseAgentID(c.Param("id"))
	if err != nil {
		return 0, nil, err
	}
	targets, err := s.Provision.Targets(c.Request.Context(), id)
	return http.StatusOK, list(targets), err
}

func (s *server) createTarget(c *gin.Context) (int, any, error) {
	id, err := netboot.ParseAgentID(c.Param("id"))
	if err != nil {
		return 0, nil, err
	}
	in, err := httpx.Decode[api.DirectDisk](c)
	if err != nil {
		return 0, nil, err
	}
	d, err := directDisk(in)
	if err != nil {
		return 0, nil, err
	}
	d.Agent, d.Client = id, c.ClientIP()
	made, err := s.Provision.CreateTarget(c.Request.Context(), d)
	return http.StatusCreated, made, err
}

func directDisk(in api.DirectDisk) (d provision.DirectDisk, err error) {
	if d.IQN, err = iscsi.ParseIQN(in.IQN); err != nil {
		return d, err
	}
	if in.Filename != "" {
		if d.File, err = image.ParseDisk(in.Filename); err != nil {
			return d, err
		}
	}
	switch {
	case (in.Master == "") == (in.Size == ""):
		return d, fault.New(fault.Invalid, "exactly one of master and size is wanted; master is %q and size %q", fault.Clip(in.Master), fault.Clip(in.Size))
	case in.Master != "":
		d.Master, err = image.ParseMaster(in.Master)
	default:
		d.Size = in.Size
		_, err = image.ParseSize(in.Size)
	}
	return d, err
}

func (s *server) createCDTarget(c *gin.Context) (int, any, error) {
	id, err := netboot.ParseAgentID(c.Param("id"))
	if err != nil {
		return 0, nil, err
	}
	in, err := httpx.Decode[api.CreateCD](c)
	if err != nil {
		return 0, nil, err
	}
	d := provision.DirectCD{Agent: id, Client: c.ClientIP()}
	if d.ISO, err = image.ParseCD(in.ISO); err != nil {
		return 0, nil, err
	}
	if in.IQN != "" {
		if d.IQN, err = iscsi.ParseIQN(in.IQN); err != nil {
			return 0, nil, err
		}
	}
	made, err := s.Provision.CreateCDTarget(c.Request.Context(), d)
	return http.StatusCreated, made, err
}

func (s *server) deleteTarget(c *gin.Context) (int, any, error) {
	id, err := netboot.ParseAgentID(c.Param("id"))
	if err != nil {
		return 0, nil, err
	}
	iqn, err := iscsi.ParseIQN(c.Query("iqn"))
	if err != nil {
		return 0, nil, err
	}
	r, err := removal(c, "delete_file")
	if err == nil {
		r.IgnoreMissing, err = httpx.QueryBool(c, "ignore_missing")
	}
	if err != nil {
		return 0, nil, err
	}
	ignored, err := s.Provision.DeleteTarget(c.Request.Context(), id, iqn, r)
	return http.StatusOK, api.TargetDeleted{Deleted: iqn.String(), DeleteFile: r.DeleteFile, IgnoredMissing: ignored}, err
}

func (s *server) scanTargets(c *gin.Context) (int, any, error) {
	id, err := netboot.ParseAgentID(c.Param("id"))
	if err != nil {
		return 0, nil, err
	}
	out, err := s.Provision.Scan(c.Request.Context(), id, c.ClientIP())
	out.Created, out.Skipped = list(out.Created), list(out.Skipped)
	return http.StatusOK, out, err
}

// list is never null on the wire.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
