package httpx

import (
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

// statuses is the one table that turns kinds into HTTP.
var statuses = map[fault.Kind]int{
	fault.Internal:     http.StatusInternalServerError,
	fault.Invalid:      http.StatusBadRequest,
	fault.Unauthorized: http.StatusUnauthorized,
	fault.Forbidden:    http.StatusForbidden,
	fault.NotFound:     http.StatusNotFound,
	fault.Exists:       http.StatusConflict,
	fault.InUse:        http.StatusConflict,
	fault.InProgress:   http.StatusConflict,
	fault.Conflict:     http.StatusConflict,
	fault.TooLarge:     http.StatusRequestEntityTooLarge,
	fault.Unsupported:  http.StatusBadRequest,
	fault.Upstream:     http.StatusBadGateway,
	fault.Unavailable:  http.StatusServiceUnavailable,
	fault.NoSpace:      http.StatusInsufficientStorage,
	fault.TooMany:      http.StatusTooManyRequests,
}

// WriteError answers with err's status, code and sentence and ends the chain;
// the cause goes to the log. A refusal by another daemon keeps its status.
func WriteError(c *gin.Context, err error) {
	_ = c.Error(err) // kept for report; never nil
	status, detail := statuses[fault.KindOf(err)], any(fault.Sentence(err))
	if e := fault.As(err); e != nil {
		if e.Detail != nil {
			detail = e.Detail
		}
		if e.Told >= http.StatusBadRequest && e.Told < 600 {
			status = e.Told
		}
	}
	writeBody(c, status, fault.CodeOf(err), detail)
}

func writeBody(c *gin.Context, status int, code string, detail any) {
	c.AbortWithStatusJSON(status, api.Error{Detail: detail, Code: code, RequestID: RequestID(c)})
}

// bodyFault names what is wrong with a request body.
func bodyFault(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return fault.Wrap(fault.TooLarge, err, "the body is larger than %d bytes", tooLarge.Limit)
	}
	return err
}

// Answer is a handler that returns what to say: a status with a body that is
// encoded as JSON, or an error for WriteError.
func Answer(f func(c *gin.Context) (status int, body any, err error)) gin.HandlerFunc {
	return func(c *gin.Context) {
		status, body, err := f(c)
		if err != nil {
			WriteError(c, err)
			return
		}
		c.JSON(status, body)
	}
}
