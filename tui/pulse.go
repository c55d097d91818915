package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/fault"
)

// pulse is the cheap question that tells soon when a control plane hangs: its
// event stream stays open then, and says nothing for long without that.
type pulse struct {
	asking bool
	asked  time.Time
	since  time.Time // of the first question that was not answered
	err    error     // nil: the last one was
}

const (
	pulseEvery = 3 * time.Second
	pulseLimit = 3 * time.Second
)

type pulseMsg struct{ err error }

// beat asks when it is time.
func (m *Model) beat() tea.Cmd {
	p := &m.conn.pulse
	if p.asking || m.c.Now().Sub(p.asked) < pulseEvery {
		return nil
	}
	p.asking, p.asked = true, m.c.Now()
	cp := m.c.Client
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), pulseLimit)
		defer cancel()
		return pulseMsg{cp.Health(ctx)}
	}
}

// beaten takes the answer in: any answer at all is one.
func (m *Model) beaten(err error) {
	p := &m.conn.pulse
	p.asking = false
	if !fault.Is(err, fault.Unavailable) {
		p.err = nil
		return
	}
	if p.err == nil {
		p.since = p.asked
	}
	p.err = err
}
