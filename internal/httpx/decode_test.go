package httpx

import (
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
)

// takesBodies is an engine with and without keys whose handler decodes.
func takesBodies(t *testing.T) *gin.Engine {
	e, _ := engine(t)
	e.Use(Idempotency(time.Now))
	e.POST("/x", Answer(func(c *gin.Context) (int, any, error) {
		v, err := Decode[map[string]string](c)
		return 200, v, err
	}))
	return e
}

// unread fails the test when it is read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

func TestABodyThatIsAnnouncedAsTooLargeIsNotReadAndOneThatIsNotAnnouncedIsMeasured(t *testing.T) {
	e := takesBodies(t)
	for _, key := range []string{"", "k"} {
		for length, body := range map[int64]io.Reader{
			99_999_999_999: unread{t},
			-1:             strings.NewReader(`{"a":"` + strings.Repeat("x", MaxBody) + `"}`),
		} {
			r := httptest.NewRequest("POST", "/x", body)
			r.ContentLength = length
			r.Header.Set(headerKey, key)
			w := httptest.NewRecorder()
			if e.ServeHTTP(w, r); w.Code != 413 || errorOf(t, w).Detail != "the body is larger than 4194304 bytes" {
				t.Errorf("%d, key %q: %d %s", length, key, w.Code, w.Body)
			}
		}
	}
}

// broken is a body whose connection fails.
type broken struct{}

func (broken) Read([]byte) (int, error) {
	return 0, &net.OpError{Op: "read", Net: "tcp", Err: errors.New("10.1.2.3:4839: connection reset by peer")}
}

func TestABodyThatBreaksOffTellsNothingOfTheSocket(t *testing.T) {
	e := takesBodies(t)
	for key, want := range map[string]string{"": "the body broke off before its end", "k": "the body could not be read"} {
		r := httptest.NewRequest("POST", "/x", broken{})
		r.Header.Set(headerKey, key)
		w := httptest.NewRecorder()
		if e.ServeHTTP(w, r); w.Code != 400 || errorOf(t, w).Detail != want {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
}
