package httpapi

import (
	"net/http"
	"sync"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/provision"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/httpx"
	"ipxe-all-ready/internal/netboot"
)

// scripts are buffers for the answers: 10,000 machines may ask at once.
var scripts = sync.Pool{New: func() any { return new([]byte) }}

// bootVars answers a machine. Whatever it sends, the worst it gets is the
// empty script: an iPXE that gets an error page stops booting.
func (s *server) bootVars(c *gin.Context) {
	q := c.Request.URL.Query()
	format := q.Get("format")
	if format != "" && format != "ipxe" && format != "json" {
		httpx.WriteError(c, fault.New(fault.Invalid, "format %q is neither ipxe nor json", fault.Clip(format)))
		return
	}
	v := s.Provision.Boot(c.Request.Context(), provision.NewAsker(q.Get("mac"), q.Get("hostname"), c.ClientIP))
	if format == "json" {
		c.JSON(http.StatusOK, bootJSON(v))
		return
	}
	buf := scripts.Get().(*[]byte)
	*buf = v.AppendScript((*buf)[:0])
	c.Data(http.StatusOK, "text/plain; charset=utf-8", *buf)
	scripts.Put(buf)
}

// bootJSON leaves out what is absent in the script.
func bootJSON(v netboot.BootVars) api.BootVars {
	if v.Hostname.IsZero() {
		return api.BootVars{}
	}
	return api.BootVars{
		Hostname: v.Hostname.String(), BaseIQN: v.BaseIQN.String(), ISCSIServer: v.ISCSIServer.String(),
		ISCSISep: v.Separator.String(), MenuDefault: v.MenuDefault.String(), MenuTimeout: &v.MenuTimeout,
	}
}
