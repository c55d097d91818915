package httpapi

import (
	"fmt"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/controlplane/event"
)

const (
	heartbeat = 15 * time.Second
	// A reader that takes nothing for this long is dropped; it comes back with
	// the id of the last event it saw.
	stalled = 10 * time.Second
)

// events is the stream of changes as server-sent events, until the reader goes
// or the server stops.
func (s *server) events(c *gin.Context) {
	h := c.Writer.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	c.Status(http.StatusOK)
	out := &stream{c: c, control: http.NewResponseController(c.Writer)}
	reader := s.Events.Read(c.GetHeader("Last-Event-ID"))
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	// The first line tells the reader that it is connected.
	for ok := out.send(": connected\n\n"); ok; {
		news, more := reader.Next()
		if ok = out.events(news); !ok || len(news) > 0 {
			continue
		}
		select {
		case <-more:
		case <-beat.C:
			ok = out.send(": heartbeat\n\n")
		case <-c.Request.Context().Done():
			ok = false
		case <-s.Stopping:
			ok = false
		}
	}
}

// stream writes with a deadline, so that a reader that never reads holds no goroutine.
type stream struct {
	c       *gin.Context
	control *http.ResponseController
}

func (s *stream) events(news []event.Event) bool {
	for _, e := range news {
		if !s.send(fmt.Sprintf("id: %s\nevent: %s\ndata: %s\n\n", e.ID, e.Kind, e.Data)) {
			return false
		}
	}
	return true
}

func (s *stream) send(text string) bool {
	if s.control.SetWriteDeadline(time.Now().Add(stalled)) != nil {
		return false
	}
	if _, err := s.c.Writer.WriteString(text); err != nil {
		return false
	}
	return s.control.Flush() == nil
}
