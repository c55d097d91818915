package tui

import (
	"strings"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/store"
	"ipxe-all-ready/tui/theme"
)

func refused(err error) bool {
	return fault.Is(err, fault.Unauthorized) || fault.Is(err, fault.Forbidden) || fault.Is(err, fault.TooMany)
}

// between reports whether an error stands between us and all data, and not only
// in the way of the part that was asked for. A web server in front of a control
// plane that is away answers in its place.
func between(err error) bool {
	return refused(err) || fault.Is(err, fault.Unavailable) ||
		fault.Is(err, fault.Upstream) && fault.CodeOf(err) == fault.Upstream.Code()
}

// foreign reports whether what answers never gave the list that every control
// plane has.
func (m *Model) foreign() bool {
	err := m.c.Store.Err(store.Workers)
	if err == nil || !m.conn.ok.IsZero() {
		return false
	}
	code := fault.CodeOf(err)
	return fault.Is(err, fault.NotFound) || code == "control_plane_protocol" || code == "control_plane_redirect"
}

// said is the connection's state for the header.
func (m *Model) said() (text string, role theme.Role) {
	c, now := m.c, m.c.Now()
	age := ""
	if !m.conn.ok.IsZero() {
		age = " · " + c.T("conn.age", cell.Age(now.Sub(m.conn.ok)))
	}
	switch {
	case refused(m.conn.err):
		return "! " + c.T("conn.refused") + age, theme.Bad
	case m.conn.err != nil && m.conn.ok.IsZero():
		return "! " + c.T("conn.never", cell.Age(now.Sub(m.conn.since))), theme.Bad
	case m.conn.err != nil:
		return "! " + c.T("conn.lost", cell.Age(now.Sub(m.conn.since))) + age, theme.Bad
	case m.conn.pulse.err != nil:
		return "! " + c.T("conn.silent", cell.Age(now.Sub(m.conn.pulse.since))) + age, theme.Bad
	case m.foreign():
		return "! " + c.T("conn.foreign"), theme.Bad
	case m.conn.ok.IsZero():
		return "~ " + c.T("conn.connecting"), theme.Warn
	case m.conn.streaming:
		return "+ " + c.T("conn.live"), theme.Good
	}
	return "+ " + c.T("conn.polling"), theme.Good
}

// trouble is what the line below the header tells: what stands between us and
// the data, or why a part that this screen wants cannot be had.
func (m *Model) trouble() error {
	switch {
	case m.conn.err != nil:
		return m.conn.err
	case m.conn.pulse.err != nil:
		return m.conn.pulse.err
	}
	for _, p := range m.screen().Info().Wants {
		if err := m.c.Store.Err(p); err != nil && !between(err) {
			return err
		}
	}
	return nil
}

// why says what the control plane's silence looks like from here.
func (m *Model) why() []string {
	err := m.trouble()
	if err == nil {
		return nil
	}
	var out []string
	for _, l := range cell.Wrap(cell.Clean(m.reason(err)), m.width-3) {
		if len(out) < 2 {
			out = append(out, m.c.Paint(theme.Bad, cell.Fit(" ! "+l, m.width)))
		}
	}
	return out
}

// reason is the fault without the address that stands above it already; that it
// is tried again stands there too.
func (m *Model) reason(err error) string {
	text := m.c.Words(err)
	switch {
	case refused(err):
		return m.c.T("conn.refused.do")
	case fault.Is(err, fault.Unavailable):
		text = fault.Sentence(err)
	case m.foreign():
		return m.c.T("conn.foreign.do", m.url)
	}
	return strings.TrimPrefix(text, "control plane "+m.url+": ")
}
