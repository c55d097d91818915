package client

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

// open asks for the stream after event last.
func (c *ControlPlane) open(ctx context.Context, last string) (io.ReadCloser, error) {
	req := c.r.R().SetContext(ctx).SetDoNotParseResponse(true).SetHeader("Accept", "text/event-stream")
	if last != "" {
		req.SetHeader("Last-Event-ID", last)
	}
	resp, err := req.Get("/events")
	switch {
	case resp != nil && isRedirect(resp.StatusCode(), nil):
		return nil, c.peer().fault(fault.Upstream, "control_plane_redirect", nil, "answered with a redirect ("+resp.Status()+"), which is not followed")
	case err != nil:
		return nil, c.peer().unreachable(err, c.o.Silence)
	}
	body := resp.RawBody()
	kind, _, _ := strings.Cut(resp.Header().Get("Content-Type"), ";")
	switch {
	case resp.StatusCode() == http.StatusOK && kind == "text/event-stream":
		return body, nil
	case resp.StatusCode() == http.StatusOK:
		err = c.peer().fault(fault.Upstream, "control_plane_protocol", nil, "answered "+kind+" and no event stream")
	default:
		answer, _ := io.ReadAll(io.LimitReader(body, 64<<10)) // what came of it will do
		err = c.peer().refused(resp.StatusCode(), resp.Status(), resp.Header(), answer)
	}
	_ = body.Close()
	return nil, err
}

// eventLines reads server-sent events:
//
//	id: 18f3a-7
//	event: worker
//	data: {"action":"updated","id":"worker-01"}
//
// An empty line ends an event, a colon begins a comment.
type eventLines struct{ lines *bufio.Scanner }

func newEventLines(r io.Reader) *eventLines {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxAnswer)
	return &eventLines{s}
}

// longestID is more than the id of any event has, in bytes.
const longestID = 256

// isID reports whether s can be sent back in a header.
func isID(s string) bool {
	return len(s) <= longestID && !strings.ContainsFunc(s, unicode.IsControl)
}

// lineCost is what a line takes in memory beside its text, in bytes.
const lineCost = 16

var errLongEvent = fmt.Errorf("an event is longer than %d bytes", maxAnswer)

// next is the next event. An event that cannot be read becomes a reset: what
// it told is to be read elsewhere.
func (l *eventLines) next(alive func()) (Event, error) {
	var e Event
	var data []string
	size := 0
	for l.lines.Scan() {
		alive()
		line := l.lines.Text()
		if line == "" {
			if e.Kind == "" && data == nil {
				continue
			}
			if json.Unmarshal([]byte(strings.Join(data, "\n")), &e.Change) != nil {
				e = Event{ID: e.ID, Kind: api.EventReset}
			}
			return e, nil
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			if isID(value) {
				e.ID = value
			}
		case "event":
			e.Kind = value
		case "data":
			if size += len(value) + lineCost; size > maxAnswer {
				return e, errLongEvent
			}
			data = append(data, value)
		}
	}
	if err := l.lines.Err(); err != nil {
		return e, err
	}
	return e, io.EOF
}
