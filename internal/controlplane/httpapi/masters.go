package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

func (s *server) listMasters(c *gin.Context) (int, any, error) {
	rows, err := s.Provision.Masters(c.Request.Context())
	out := api.MastersByAgent{Agents: make([]api.AgentMasters, 0, len(rows))}
	for _, r := range rows {
		row := api.AgentMasters{Agent: r.Agent.ID.String(), ISCSIServer: r.Agent.ISCSIServer.String(), Masters: list(r.Masters)}
		if r.Err != nil {
			row.Error = fault.Sentence(r.Err)
		}
		out.Agents = append(out.Agents, row)
	}
	return http.StatusOK, out, err
}
