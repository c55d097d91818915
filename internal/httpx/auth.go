package httpx

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/secret"
)

// Auth wants "Authorization: Bearer <token>". A zero full token leaves
// everything open; view, when set, may only read. Wrong tokens are counted in
// failures; nil: nobody counts.
func Auth(full, view secret.Text, failures *Failures) gin.HandlerFunc {
	return func(c *gin.Context) {
		if full.IsZero() {
			return
		}
		token := bearer(c.Request)
		isFull, isView, wait := failures.judge(c, token, func() (bool, bool) {
			// Both are always compared, so that the time tells nothing.
			return full.Equal(token), view.Equal(token)
		})
		switch {
		case wait > 0:
			seconds := int(math.Ceil(wait.Seconds()))
			c.Header("Retry-After", strconv.Itoa(seconds))
			WriteError(c, fault.New(fault.TooMany, "too many wrong tokens came from %s; try again in %d s", c.ClientIP(), seconds))
		case isFull:
		case isView && (c.Request.Method == http.MethodGet || c.Request.Method == http.MethodHead):
			c.Set(viewOnly, true)
		case isView:
			WriteError(c, fault.New(fault.Forbidden, "this token may only read"))
		default:
			c.Header("WWW-Authenticate", "Bearer")
			WriteError(c, fault.New(fault.Unauthorized, "unauthorized"))
		}
	}
}

// viewOnly is set in a request's context by a token that may only read.
const viewOnly = "httpx.view-only"

// MayWrite reports whether the caller that Auth let in may change anything.
func MayWrite(c *gin.Context) bool { return !c.GetBool(viewOnly) }

func bearer(r *http.Request) string {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// judge looks at a request's token with compare. A request without one is no
// guess: it is refused and not counted.
func (f *Failures) judge(c *gin.Context, token string, compare func() (isFull, isView bool)) (isFull, isView bool, wait time.Duration) {
	if f == nil || token == "" {
		isFull, isView = compare()
		return isFull, isView, 0
	}
	return f.guess(c.ClientIP(), compare)
}
