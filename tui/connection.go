package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/tui/store"
)

// connection is what is known of the way to the control plane.
type connection struct {
	streaming bool
	since     time.Time // of the start, or of the loss
	ok        time.Time // of the last data; zero: there was none
	err       error     // nil: nothing stands between us and the data
	pulse     pulse
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
		m.conn.err = nil  // but nothing was read by that
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
		if between(l.Err) {
			m.lost(l.Err)
		}
		return nil
	}
	// These say nothing of the token: one needs none, the other may ask nobody.
	if l.Part != store.Ready && l.Part != store.Sessions {
		m.answered()
	}
	m.c.Post(store.Changed{Part: l.Part.Shown()})
	return m.due()
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
