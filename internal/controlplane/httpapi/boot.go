package httpapi

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/provision"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/httpx"
	"ipxe-all-ready/internal/netboot"
)

var plain = []string{"text/plain; charset=utf-8"} // read only

// question is what a machine asks with.
type question struct{ mac, hostname, format string }

// readQuestion looks through a query where it is, without the map of all its
// words: nothing that firmware asks with is escaped.
func readQuestion(query string) (q question) {
	if strings.ContainsAny(query, "%+;") {
		v, _ := url.ParseQuery(query) // what cannot be read is left out
		return question{mac: v.Get("mac"), hostname: v.Get("hostname"), format: v.Get("format")}
	}
	var mac, hostname, format bool // had already: the first of two counts
	for found := true; found; {
		var pair string
		pair, query, found = strings.Cut(query, "&")
		switch name, value, _ := strings.Cut(pair, "="); {
		case name == "mac" && !mac:
			q.mac, mac = value, true
		case name == "hostname" && !hostname:
			q.hostname, hostname = value, true
		case name == "format" && !format:
			q.format, format = value, true
		}
	}
	return q
}

// bootVars answers a machine. Whatever it sends, the worst it gets is the
// empty script: an iPXE that gets an error page stops booting.
func (s *server) bootVars(c *gin.Context) {
	q := readQuestion(c.Request.URL.RawQuery)
	if q.format != "" && q.format != "ipxe" && q.format != "json" {
		httpx.WriteError(c, fault.New(fault.Invalid, "format %q is neither ipxe nor json", fault.Clip(q.format)))
		return
	}
	asker := provision.NewAsker(q.mac, q.hostname, c)
	if q.format == "json" {
		c.JSON(http.StatusOK, bootJSON(s.Provision.Boot(c.Request.Context(), asker)))
		return
	}
	script := s.Provision.BootScript(c.Request.Context(), asker)
	c.Writer.Header()["Content-Type"] = plain
	if len(script) > 2<<10 {
		// Beyond that net/http does not count and sends chunks; firmware is spared them.
		c.Header("Content-Length", strconv.Itoa(len(script)))
	}
	_, _ = c.Writer.Write(script) // a machine that left asks again
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
