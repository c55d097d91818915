package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/provision"
	"ipxe-all-ready/internal/httpx"
)

func (s *server) listAgents(c *gin.Context) (int, any, error) {
	live := true
	if c.Query("live") != "" {
		var err error
		if live, err = httpx.QueryBool(c, "live"); err != nil {
			return 0, nil, err
		}
	}
	rows := s.Provision.Agents(c.Request.Context(), live)
	out := make([]api.Agent, 0, len(rows))
	for _, r := range rows {
		out = append(out, agentView(r))
	}
	return http.StatusOK, out, nil
}

func agentView(r provision.LiveAgent) api.Agent {
	a := r.Agent
	return api.Agent{
		ID: a.ID.String(), BaseURL: a.BaseURL, ISCSIServer: a.ISCSIServer.String(),
		Role: api.Role{Disk: a.RoleDisk, CD: a.RoleCD}, Enabled: a.Enabled, Tags: append([]string{}, a.Tags...),
		Health: r.Health, Capabilities: r.Capabilities, Error: r.Error,
	}
}
