package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/agent/fence"
	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/api"
)

// fencing answers from memory: it is asked every few seconds.
func (s *server) fencing(*gin.Context) (int, any, error) {
	now := s.Fence.Report()
	out := api.Fencing{ACL: "all", Rivalries: []api.Rivalry{}, Refusals: []api.Refusal{}, Blind: now.Blind}
	if s.Closed {
		out.ACL = "initiator"
	}
	for _, r := range now.Rivalries {
		out.Rivalries = append(out.Rivalries, RivalryRow(r))
	}
	for _, r := range now.Refusals {
		out.Refusals = append(out.Refusals, RefusalRow(r))
	}
	return http.StatusOK, out, nil
}

// RivalryRow is a rivalry as it goes over the wire and into the log.
func RivalryRow(r fence.Rivalry) api.Rivalry {
	return api.Rivalry{IQN: r.IQN, Since: r.Since.UTC(), Sessions: sessionRows(r.Sessions)}
}

// RefusalRow is a refusal as it goes over the wire and into the log.
func RefusalRow(r fence.Refusal) api.Refusal {
	return api.Refusal{IQN: r.IQN, Initiator: r.Initiator, Address: r.Address, First: r.First.UTC(), Last: r.Last.UTC(), Count: r.Count}
}

func sessionRows(sessions []target.Session) []api.Session {
	rows := []api.Session{}
	for _, x := range sessions {
		rows = append(rows, api.Session{Initiator: x.Initiator, Address: orNull(x.Address)})
	}
	return rows
}
