package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/netboot"
)

func (s *server) listSessions(c *gin.Context) (int, any, error) {
	id, err := netboot.ParseAgentID(c.Param("id"))
	if err != nil {
		return 0, nil, err
	}
	logins, err := s.Provision.Sessions(c.Request.Context(), id)
	out := make([]api.AgentSession, 0, len(logins))
	for _, l := range logins {
		row := api.AgentSession{IQN: l.IQN, OS: l.OS.String(), Initiator: l.Session.Initiator, Address: l.Session.Address}
		if l.Worker != nil {
			row.WorkerID = l.Worker.ID.String()
		}
		out = append(out, row)
	}
	return http.StatusOK, out, err
}
