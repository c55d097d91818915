package httpx

import (
	"compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
)

func TestALongAnswerIsCompressedForWhoTakesIt(t *testing.T) {
	long := strings.Repeat("worker ", 1000)
	e, _ := engine(t)
	e.GET("/long", Gzip, func(c *gin.Context) { c.String(200, long) })
	e.GET("/short", Gzip, func(c *gin.Context) { c.String(200, "short") })
	e.GET("/fault", Gzip, func(c *gin.Context) { c.Status(304) })
	for accept, zipped := range map[string]bool{
		"": false, "gzip": true, "br, GZIP;q=0.5": true, "gzip;q=0": false, "*": true, "identity": false, "gzip;q=0, *": false, "x-gzip": true,
	} {
		w := do(e, "GET", "/long", "", "Accept-Encoding", accept)
		if got := w.Header().Get("Content-Encoding") == "gzip"; got != zipped || w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: %v", accept, w.Header())
		}
		body := io.Reader(w.Body)
		if zipped {
			z, err := gzip.NewReader(w.Body)
			if err != nil {
				t.Fatal(err)
			}
			body = z
		}
		if b, err := io.ReadAll(body); err != nil || string(b) != long {
			t.Errorf("%q: %d bytes, %v", accept, len(b), err)
		}
	}
	for _, path := range []string{"/short", "/fault"} {
		if w := do(e, "GET", path, "", "Accept-Encoding", "gzip"); w.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s: %v", path, w.Header())
		}
	}
}

func TestWhoHasAnEditionGetsNothingTwice(t *testing.T) {
	e, _ := engine(t)
	e.GET("/x", func(c *gin.Context) {
		if !Unchanged(c, "s-1") {
			c.String(200, "body")
		}
	})
	for held, status := range map[string]int{
		"": 200, `W/"s-1"`: 304, `"s-1"`: 304, `W/"s-0", W/"s-1"`: 304, "*": 304, `W/"s-10"`: 200, "s-1": 200,
	} {
		w := do(e, "GET", "/x", "", "If-None-Match", held)
		if w.Code != status || w.Header().Get("ETag") != `W/"s-1"` || (status == 304) != (w.Body.Len() == 0) {
			t.Errorf("%q: %d %v %q", held, w.Code, w.Header(), w.Body)
		}
	}
}

func TestEveryAnswerIsObservedWithItsRoute(t *testing.T) {
	var got []string
	e, err := NewEngine(EngineOptions{Log: slog.New(slog.DiscardHandler), Observe: func(method, route string, status int, _ time.Duration) {
		got = append(got, method+" "+route+" "+http.StatusText(status))
	}})
	if err != nil {
		t.Fatal(err)
	}
	e.GET("/x/:id", func(c *gin.Context) { c.Status(200) })
	e.GET("/panic", func(*gin.Context) { panic("boom") })
	do(e, "GET", "/x/5", "")
	do(e, "GET", "/y", "")
	do(e, "POST", "/x/5", "")
	do(e, "GET", "/panic", "")
	want := "GET /x/:id OK, GET  Not Found, POST  Method Not Allowed, GET /panic Internal Server Error"
	if strings.Join(got, ", ") != want {
		t.Errorf("%q", got)
	}
}
