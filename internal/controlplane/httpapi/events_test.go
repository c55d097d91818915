package httpapi

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/controlplane/event"
)

// pipes is a listener that takes one connection in memory, so that the clock
// of a test can be the server's too.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// streaming serves a hub's events to one connection and reads the head of the
// answer and its first line.
func streaming(t *testing.T, hub *event.Hub) (net.Conn, *bufio.Reader) {
	t.Helper()
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	stopping := make(chan struct{})
	e.GET("/events", (&server{Options: Options{Events: hub, Stopping: stopping}}).events)
	ln := &pipes{make(chan net.Conn, 1), make(chan struct{})}
	srv := &http.Server{Handler: e}
	served := make(chan struct{})
	go func() { defer close(served); _ = srv.Serve(ln) }() // ends by Close
	mine, its := net.Pipe()
	t.Cleanup(func() {
		close(stopping)
		_ = mine.Close() // nobody writes to it any more
		_ = srv.Close()  // so with that
		<-served
	})
	ln.conns <- its
	if _, err := io.WriteString(mine, "GET /events HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReaderSize(mine, 16)
	for line := ""; line != ": connected\n"; {
		var err error
		if line, err = in.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	return mine, in
}

func TestAQuietStreamBeatsEveryFifteenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, in := streaming(t, event.NewHub("s", 4))
		start := time.Now()
		for beats := 0; beats < 3; {
			line, err := in.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(line, ": heartbeat") {
				beats++
			}
		}
		if took := time.Since(start); took != 45*time.Second {
			t.Errorf("three beats in %s", took)
		}
	})
}

func TestAReaderThatReadsNothingIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := event.NewHub("s", 4)
		_, in := streaming(t, hub)
		hub.Publish(event.Worker, event.Change{Action: "updated", ID: strings.Repeat("x", 1<<16)})
		time.Sleep(stalled + time.Second)
		if rest, err := io.ReadAll(in); strings.Contains(string(rest), "\n\nid:") || len(rest) > 8192 {
			t.Errorf("it got %d bytes, %v", len(rest), err)
		}
	})
}
