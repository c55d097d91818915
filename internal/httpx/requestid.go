package httpx

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
)

// requestID takes the caller's id when it is sane, else makes one of a random
// prefix for this engine and a counter: unique, cheap and readable in a log.
func requestID() gin.HandlerFunc {
	var prefix [4]byte
	_, _ = rand.Read(prefix[:]) // never fails (crypto/rand)
	head := hex.EncodeToString(prefix[:]) + "-"
	var n atomic.Uint64
	return func(c *gin.Context) {
		id := first(c.Request.Header)
		if !sane(id) {
			var b [32]byte
			id = string(strconv.AppendUint(append(b[:0], head...), n.Add(1), 36))
		}
		c.Writer.Header()[api.HeaderRequestID] = []string{id}
		c.Next()
	}
}

// RequestID is the id of this request. The answer's header is where it is kept:
// the framework's own place would cost a map a request.
func RequestID(c *gin.Context) string { return first(c.Writer.Header()) }

func first(h http.Header) string {
	if v := h[api.HeaderRequestID]; len(v) > 0 {
		return v[0]
	}
	return ""
}

func sane(id string) bool {
	if len(id) == 0 || len(id) > 64 {
		return false
	}
	for i := 0; i < len(id); i++ {
		c := id[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}
