package httpx

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
)

// Unchanged names the answer's edition and reports whether the caller has it
// already; then 304 is the whole answer. tag needs no quotes. It is weak, since
// one edition may travel compressed or not.
func Unchanged(c *gin.Context, tag string) bool {
	etag := `W/"` + tag + `"`
	c.Header("ETag", etag)
	c.Header("Cache-Control", "private, no-cache") // to be kept, and asked after every time
	for _, line := range c.Request.Header.Values("If-None-Match") {
		for held := range strings.SplitSeq(line, ",") {
			held = strings.TrimSpace(held)
			if held == "*" || strings.TrimPrefix(held, "W/") == etag[2:] {
				c.Status(http.StatusNotModified)
				return true
			}
		}
	}
	return false
}
