package httpx

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/secret"
)

// Auth wants "Authorization: Bearer <token>". A zero full token leaves
// everything open; view, when set, may only read.
func Auth(full, view secret.Text) gin.HandlerFunc {
	return func(c *gin.Context) {
		if full.IsZero() {
			return
		}
		token := bearer(c.Request)
		// Both are always compared, so that the time tells nothing.
		isFull, isView := full.Equal(token), view.Equal(token)
		switch {
		case isFull:
		case isView && (c.Request.Method == http.MethodGet || c.Request.Method == http.MethodHead):
		case isView:
			WriteError(c, fault.New(fault.Forbidden, "this token may only read"))
		default:
			c.Header("WWW-Authenticate", "Bearer")
			WriteError(c, fault.New(fault.Unauthorized, "unauthorized"))
		}
	}
}

func bearer(r *http.Request) string {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
