package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/provision"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/httpx"
	"ipxe-all-ready/internal/netboot"
)

func (s *server) probeAgent(c *gin.Context) (int, any, error) {
	in, err := httpx.Decode[api.ProbeAgent](c)
	if err != nil {
		return 0, nil, err
	}
	p, err := probing(in)
	if err != nil {
		return 0, nil, err
	}
	p.Client = c.ClientIP()
	caps, err := s.Provision.Probe(c.Request.Context(), p)
	if err != nil {
		return 0, nil, probed(err)
	}
	return http.StatusOK, api.Probe{
		BaseURL: p.BaseURL, Role: api.Role{Disk: true, CD: caps.CD}, Tags: []string{"storage", caps.Backend},
		ISCSIServer: p.Host.String(), Enabled: true, Backend: caps.Backend, FSType: caps.FSType,
		BaseIQN: caps.BaseIQN, Clone: caps.Clone, EmptyDisk: caps.EmptyDisk, Persistent: caps.Persistent,
	}, nil
}

// probed makes a refusal by what was probed a 502 whatever its status: it may
// be no storage node at all.
func probed(err error) error {
	f := fault.As(err)
	if f == nil {
		return err
	}
	plain := *f
	plain.Told = 0
	return &plain
}

func (s *server) registerAgent(c *gin.Context) (int, any, error) {
	in, err := httpx.Decode[api.PutAgent](c)
	if err != nil {
		return 0, nil, err
	}
	id, err := netboot.ParseAgentID(in.ID)
	if err != nil {
		return 0, nil, err
	}
	a, err := inventoryEntry(id, in)
	if err != nil {
		return 0, nil, err
	}
	if err := s.Provision.RegisterAgent(c.Request.Context(), a, c.ClientIP()); err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, agentView(provision.LiveAgent{Agent: a}), nil
}

func (s *server) updateAgent(c *gin.Context) (int, any, error) {
	id, err := netboot.ParseAgentID(c.Param("id"))
	if err != nil {
		return 0, nil, err
	}
	in, err := httpx.Decode[api.PutAgent](c)
	if err != nil {
		return 0, nil, err
	}
	a, err := inventoryEntry(id, in)
	if err != nil {
		return 0, nil, err
	}
	if err := s.Provision.UpdateAgent(c.Request.Context(), a, c.ClientIP()); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, agentView(provision.LiveAgent{Agent: a}), nil
}

func (s *server) deleteAgent(c *gin.Context) (int, any, error) {
	id, err := netboot.ParseAgentID(c.Param("id"))
	if err != nil {
		return 0, nil, err
	}
	if err := s.Provision.DeleteAgent(c.Request.Context(), id, c.ClientIP()); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, api.AgentDeleted{Deleted: id.String()}, nil
}
