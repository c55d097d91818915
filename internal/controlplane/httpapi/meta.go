package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/httpx"
	"ipxe-all-ready/internal/version"
)

func (s *server) version(c *gin.Context) (int, any, error) {
	b := version.Info()
	out := api.Version{Version: b.Version, Commit: b.Commit, Go: b.Go, Access: api.AccessFull}
	if !httpx.MayWrite(c) {
		out.Access = api.AccessView
	}
	return http.StatusOK, out, nil
}

// document answers with the OpenAPI document of this very API.
func (s *server) document(c *gin.Context) {
	doc, err := api.ControlPlaneDocument()
	if err != nil {
		httpx.WriteError(c, err)
		return
	}
	c.Data(http.StatusOK, "application/json; charset=utf-8", doc)
}
