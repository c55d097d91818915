package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/httpx"
)

func (s *server) listFindings(c *gin.Context) (int, any, error) {
	out := api.Reconcile{Findings: []api.Finding{}}
	for _, f := range s.Provision.Reconcile(c.Request.Context()) {
		out.Findings = append(out.Findings, api.Finding{
			ID: f.ID, Kind: string(f.Kind), WorkerID: f.Worker.String(), Agent: f.Agent.String(), Detail: f.Detail, Fix: string(f.Fix),
		})
	}
	return http.StatusOK, out, nil
}

func (s *server) fixFindings(c *gin.Context) (int, any, error) {
	in, err := httpx.Decode[api.FixFindings](c)
	if err == nil && len(in.Fix) == 0 {
		err = fault.New(fault.Invalid, "fix names no finding")
	}
	if err != nil {
		return 0, nil, err
	}
	out := api.FindingsFixed{Fixed: []string{}, Failed: []api.FixFailed{}}
	for _, r := range s.Provision.Fix(c.Request.Context(), in.Fix, c.ClientIP()) {
		if r.Err == nil {
			out.Fixed = append(out.Fixed, r.ID)
			continue
		}
		out.Failed = append(out.Failed, api.FixFailed{ID: r.ID, Error: fault.Sentence(r.Err)})
	}
	return http.StatusOK, out, nil
}
