package httpx

import (
	"bytes"
	"crypto/sha256"
	"io"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/fault"
)

const (
	headerKey    = "Idempotency-Key"
	headerReplay = "Idempotent-Replay"
	longestKey   = 255
)

// Idempotency gives a POST that carries the same Idempotency-Key, path and body
// as one in the last hour that one's answer again. One that comes while the
// first is under way waits for it. An answer that says to try again (a 5xx, or
// that another request is busy with the thing) is not kept.
func Idempotency(now func() time.Time) gin.HandlerFunc {
	kept := &replays{now: now, most: 10_000, mostBytes: 32 << 20}
	return func(c *gin.Context) {
		key := c.GetHeader(headerKey)
		if c.Request.Method != http.MethodPost || key == "" {
			return
		}
		if len(key) > longestKey {
			WriteError(c, fault.New(fault.Invalid, "%s is longer than %d bytes", headerKey, longestKey))
			return
		}
		mark, whole, err := fingerprint(c.Request)
		if err != nil {
			WriteError(c, fault.Wrap(fault.Invalid, err, "the body could not be read"))
			return
		}
		if !whole {
			return // it is too large, which the handler says
		}
		// Keys are each caller's own.
		kept.serve(c, sha256.Sum256([]byte(c.GetHeader("Authorization")+"\x00"+key)), mark)
	}
}

// fingerprint is of what was asked for; the body can be read once more. whole
// is false for a body that no handler takes.
func fingerprint(r *http.Request) (mark [sha256.Size]byte, whole bool, err error) {
	if r.ContentLength > MaxBody {
		return mark, false, nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	if err != nil {
		return mark, false, err
	}
	r.Body = again{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	h := sha256.New()
	_, _ = io.WriteString(h, r.Method+" "+r.URL.RequestURI()+"\x00") // a hash takes all
	_, _ = h.Write(body)
	return [sha256.Size]byte(h.Sum(nil)), len(body) <= MaxBody, nil
}

// again is a body that was read, from its start.
type again struct {
	io.Reader
	io.Closer
}

// serve answers with what was answered before, or lets the handler answer and
// keeps that.
func (k *replays) serve(c *gin.Context, key, mark [sha256.Size]byte) {
	for {
		r, first := k.claim(key, mark)
		if first {
			k.first(c, key, r)
			return
		}
		if r.mark != mark {
			WriteError(c, fault.New(fault.Conflict, "this %s was used before for another request", headerKey).WithCode("idempotency_key_reused"))
			return
		}
		select {
		case <-r.done:
		case <-c.Request.Context().Done():
			c.Abort() // nobody reads the answer
			return
		}
		if r.kept {
			r.write(c)
			return
		}
		// The first came to nothing that counts: this one is the first now.
	}
}

// first runs the handler and notes its answer.
func (k *replays) first(c *gin.Context, key [sha256.Size]byte, r *replay) {
	w := &recorder{ResponseWriter: c.Writer}
	c.Writer = w
	finished := false
	defer func() {
		c.Writer = w.ResponseWriter
		r.status, r.body = w.Status(), w.body.Bytes()
		r.location, r.contentType = w.Header().Get("Location"), w.Header().Get("Content-Type")
		k.settle(key, r, finished && counts(c, r.status))
	}()
	c.Next()
	finished = true // and did not panic
}

// counts reports whether an answer stands for good.
func counts(c *gin.Context, status int) bool {
	if last := c.Errors.Last(); last != nil && fault.Is(last.Err, fault.InProgress) {
		return false
	}
	return status < http.StatusInternalServerError
}

// recorder keeps what is written.
type recorder struct {
	gin.ResponseWriter
	body bytes.Buffer
}

func (w *recorder) Write(p []byte) (int, error) {
	w.body.Write(p)
	return w.ResponseWriter.Write(p)
}

func (w *recorder) WriteString(s string) (int, error) {
	w.body.WriteString(s)
	return w.ResponseWriter.WriteString(s)
}
