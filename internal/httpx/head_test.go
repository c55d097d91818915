package httpx

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/secret"
)

// serve runs h as the daemons do until the test ends.
func serve(t *testing.T, h http.Handler) (url string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, ln, h, ServerOptions{Log: slog.New(slog.DiscardHandler)}) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return "http://" + ln.Addr().String()
}

func ask(t *testing.T, method, url, token string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func TestEveryGETRouteAnswersHEADWithoutABody(t *testing.T) {
	e, _ := engine(t)
	g := e.Group("/", Auth(secret.New("f"), secret.New("v"), nil))
	g.GET("/x", func(c *gin.Context) { c.String(200, strings.Repeat("x", 100)) })
	g.POST("/y", func(c *gin.Context) { c.Status(200) })
	url := serve(t, e)
	for _, c := range []struct {
		path, token string
		status      int
		length      int64
	}{
		{"/x", "v", 200, 100}, {"/x", "f", 200, 100}, {"/x", "no", 401, -1}, {"/nope", "f", 404, -1}, {"/y", "f", 405, -1},
	} {
		resp, body := ask(t, "HEAD", url+c.path, c.token)
		if resp.StatusCode != c.status || body != "" || c.length >= 0 && resp.ContentLength != c.length || resp.Header.Get("X-Request-Id") == "" {
			t.Errorf("%+v: %d, %d bytes announced, %q", c, resp.StatusCode, resp.ContentLength, body)
		}
	}
	if _, body := ask(t, "GET", url+"/x", "v"); len(body) != 100 {
		t.Errorf("GET: %q", body)
	}
}

func TestAStreamEndsForWhoAsksForItsHeadAlone(t *testing.T) {
	e, _ := engine(t)
	ended := make(chan struct{})
	e.GET("/stream", func(c *gin.Context) {
		c.Header("Content-Type", "text/event-stream")
		_, _ = c.Writer.WriteString(": connected\n\n")
		if err := http.NewResponseController(c.Writer).Flush(); err != nil {
			t.Error(err)
		}
		<-c.Request.Context().Done()
		close(ended)
	})
	url := serve(t, e)
	resp, body := ask(t, "HEAD", url+"/stream", "")
	<-ended
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" || body != "" {
		t.Errorf("%d %v %q", resp.StatusCode, resp.Header, body)
	}
	if resp, _ := ask(t, "HEAD", url+"/nope", ""); resp.StatusCode != 404 {
		t.Errorf("the next on the connection: %d", resp.StatusCode)
	}
}
