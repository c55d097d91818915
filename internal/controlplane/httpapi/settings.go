package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/provision"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/httpx"
)

func (s *server) getAutoRegister(c *gin.Context) (int, any, error) {
	return http.StatusOK, autoRegisterView(s.Provision), nil
}

func autoRegisterView(p *provision.Service) api.AutoRegister {
	enabled, bySetting := p.AutoRegister()
	source := "env"
	if bySetting {
		source = "settings"
	}
	return api.AutoRegister{Enabled: enabled, Source: source}
}

func (s *server) setAutoRegister(c *gin.Context) (int, any, error) {
	in, err := httpx.Decode[struct {
		Enabled *bool `json:"enabled"`
	}](c)
	if err == nil && in.Enabled == nil {
		err = fault.New(fault.Invalid, "enabled is missing; it must be true or false")
	}
	if err == nil {
		err = s.Provision.SetAutoRegister(c.Request.Context(), c.ClientIP(), *in.Enabled)
	}
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, autoRegisterView(s.Provision), nil
}
