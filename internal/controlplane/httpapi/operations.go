package httpapi

import (
	"math"
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/httpx"
)

func (s *server) listOperations(c *gin.Context) (int, any, error) {
	q, err := operationsQuery(c)
	if err != nil {
		return 0, nil, err
	}
	page, err := s.Audit.Query(q)
	return http.StatusOK, page, err
}

func operationsQuery(c *gin.Context) (q audit.Query, err error) {
	q = audit.Query{Op: audit.Op(c.Query("op")), Status: audit.Status(c.Query("status")), WorkerID: c.Query("worker_id")}
	if q.Since, err = httpx.QueryInt(c, "since", 0, 0, math.MaxInt64); err != nil {
		return q, err
	}
	if q.Before, err = httpx.QueryInt(c, "before", 0, 1, math.MaxInt64); err != nil {
		return q, err
	}
	limit, err := httpx.QueryInt(c, "limit", audit.DefaultLimit, 1, audit.MaxLimit)
	if err != nil {
		return q, err
	}
	tail, err := httpx.QueryInt(c, "tail", 0, 1, audit.MaxLimit)
	q.Limit, q.Tail = int(limit), int(tail)
	return q, err
}
