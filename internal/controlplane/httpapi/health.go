package httpapi

import (
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

// healthz says that the process lives; readyz says whether it can do its work.
func (s *server) healthz(c *gin.Context) { c.JSON(http.StatusOK, gin.H{"status": "ok"}) }

// readyz is 503 while a ledger is broken or the trail cannot be written: known
// machines still boot, but a person has to look.
func (s *server) readyz(c *gin.Context) {
	out := api.Ready{Status: "ready"}
	for _, f := range s.Ledger.Faults() {
		out.Faults = append(out.Faults, api.LedgerFault{File: f.File, Line: f.Line, Error: f.Text})
	}
	if err := s.Audit.Ready(); err != nil {
		out.Faults = append(out.Faults, api.LedgerFault{File: s.Audit.Path(), Error: fault.Sentence(err)})
	}
	for _, f := range s.Ledger.Snapshot().Findings() {
		out.Notes = append(out.Notes, fmt.Sprintf("dhcp-hosts line %d: %s", f.Line, f.Text))
	}
	if s.Notes != nil {
		out.Notes = append(out.Notes, s.Notes()...)
	}
	status := http.StatusOK
	if len(out.Faults) > 0 {
		out.Status, status = "not_ready", http.StatusServiceUnavailable
	}
	c.JSON(status, out)
}
