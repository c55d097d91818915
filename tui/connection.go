package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/store"
	"ipxe-all-ready/tui/theme"
)

// connection is what is known of the way to the control plane.
type connection struct {
	streaming bool
	since     time.Time // of the start, or of the loss
	ok        time.Time // of the last answer; zero: there was none
	err       error     // nil: the last answer was good
}

// StreamMsg is what the event stream told in one go.
type StreamMsg struct {
	Events []client.Event
	State  bool // whether Err says something: the stream opened (nil) or was lost
	Err    error
}

// mostAtOnce is how many events one update takes in.
const mostAtOnce = 500

// listen waits for the stream; what has gathered meanwhile comes along, so that
// a storm of events costs a few frames and not one each.
func (m *Model) listen() tea.Cmd {
	stream := m.stream
	if stream == nil {
		return nil
	}
	return func() tea.Msg {
		msg, ok := <-stream
		if !ok {
			return nil
		}
		for !msg.State && len(msg.Events) < mostAtOnce {
			select {
			case more, ok := <-stream:
				if !ok {
					return msg
				}
				msg.Events = append(msg.Events, more.Events...)
				msg.State, msg.Err = more.State, more.Err
			default:
				return msg
			}
		}
		return msg
	}
}

func (m *Model) streamed(msg StreamMsg) tea.Cmd {
	changed, loads := m.c.Store.Events(msg.Events)
	for _, c := range changed {
		m.c.Post(c)
	}
	cmds := append(loads, m.listen())
	if msg.State {
		m.state(msg.Err)
		cmds = append(cmds, m.due())
	}
	return tea.Batch(cmds...)
}

func (m *Model) state(err error) {
	was := m.conn.streaming
	m.conn.streaming = err == nil
	if err == nil {
		m.answered()
		m.c.Store.Stale() // what was read before may have missed an event
		return
	}
	if was {
		m.lost(err)
		m.c.Store.Stale()
	}
}

func (m *Model) answered() {
	m.conn.ok, m.conn.err = m.c.Now(), nil
}

func (m *Model) lost(err error) {
	if m.conn.err == nil && !m.conn.ok.IsZero() {
		m.conn.since = m.c.Now()
	}
	m.conn.err = err
}

func (m *Model) loaded(l store.Loaded) tea.Cmd {
	if !m.c.Store.Apply(l) {
		return nil
	}
	if l.Err != nil {
		m.lost(l.Err)
		return nil
	}
	if l.Part != store.Sessions { // with no node known it asks nobody
		m.answered()
	}
	m.c.Post(store.Changed{Part: l.Part})
	return m.due()
}

// said is the connection's state for the header.
func (m *Model) said() (text string, role theme.Role) {
	c, now := m.c, m.c.Now()
	switch {
	case fault.Is(m.conn.err, fault.Unauthorized) || fault.Is(m.conn.err, fault.Forbidden):
		return "! " + c.T("conn.refused", cell.Age(now.Sub(m.conn.since))), theme.Bad
	case m.conn.err != nil && m.conn.ok.IsZero():
		return "! " + c.T("conn.never", cell.Age(now.Sub(m.conn.since))), theme.Bad
	case m.conn.err != nil:
		return "! " + c.T("conn.lost", cell.Age(now.Sub(m.conn.since))) + " · " + c.T("conn.age", cell.Age(now.Sub(m.conn.ok))), theme.Bad
	case m.conn.ok.IsZero():
		return "~ " + c.T("conn.connecting"), theme.Warn
	case m.conn.streaming:
		return "+ " + c.T("conn.live"), theme.Good
	}
	return "+ " + c.T("conn.polling"), theme.Good
}

// Watch reads the event stream into out until ctx ends, whatever comes between.
func Watch(ctx context.Context, cp *client.ControlPlane, out chan<- StreamMsg) {
	send := func(m StreamMsg) {
		select {
		case out <- m:
		case <-ctx.Done():
		}
	}
	for ctx.Err() == nil {
		err := cp.Watch(ctx, client.Watcher{
			Event: func(e client.Event) { send(StreamMsg{Events: []client.Event{e}}) },
			State: func(err error) { send(StreamMsg{State: true, Err: err}) },
		})
		if ctx.Err() != nil {
			return
		}
		// Refused for good, as the client sees it; a person may mend that meanwhile.
		send(StreamMsg{State: true, Err: err})
		t := time.NewTimer(watchAgain)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
		}
	}
}

const watchAgain = 10 * time.Second
