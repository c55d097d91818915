// Package tui is the terminal console: the root model that owns the frame, the
// stack of dialogs, the screens behind each number and the connection.
package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/tui/i18n"
	"ipxe-all-ready/tui/keys"
	"ipxe-all-ready/tui/screen/agents"
	"ipxe-all-ready/tui/screen/operations"
	"ipxe-all-ready/tui/screen/overview"
	"ipxe-all-ready/tui/screen/reconcile"
	"ipxe-all-ready/tui/screen/tasks"
	"ipxe-all-ready/tui/screen/workers"
	"ipxe-all-ready/tui/store"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

// Options make a model.
type Options struct {
	Client *client.ControlPlane
	URL    string // shown
	Theme  theme.Options
	Lang   i18n.Lang
	Now    func() time.Time // default time.Now
	Zone   *time.Location   // default time.Local
	Stream <-chan StreamMsg // what the event stream tells; nil: none
}

// tabs is the screens behind the numbers.
var tabs = []keys.Action{keys.Go1, keys.Go2, keys.Go3, keys.Go4, keys.Go5, keys.Go6}

// Model is the console.
type Model struct {
	c      *ui.Ctx
	url    string
	stream <-chan StreamMsg

	width, height int
	stacks        map[keys.Action][]ui.Screen // what is open on each number
	tab           keys.Action
	dialogs       []ui.Dialog
	deaf          time.Time // keys before it were not meant for what is on
	notice        ui.Notice
	conn          connection
	mouse         bool
	answering     bool // the update at hand is the answer to a call
	turn          int
	top           int // first line of the screen's body at the last View
}

// New makes the console; it makes no call.
func New(o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Zone == nil {
		o.Zone = time.Local
	}
	c := &ui.Ctx{Theme: theme.New(o.Theme), Lang: o.Lang, Store: store.New(o.Client, o.Now), Client: o.Client, Now: o.Now, Zone: o.Zone}
	return &Model{c: c, url: o.URL, stream: o.Stream, tab: keys.Go1, conn: connection{since: o.Now()},
		stacks: map[keys.Action][]ui.Screen{
			keys.Go1: {overview.New(c)}, keys.Go2: {workers.New(c)}, keys.Go3: {agents.New(c)},
			keys.Go4: {operations.New(c)}, keys.Go5: {tasks.New(c)}, keys.Go6: {reconcile.New(c)},
		}}
}

// Idle reports whether nothing that was asked for is still to come.
func (m *Model) Idle() bool {
	_, calling := m.c.Oldest()
	return !calling && !m.c.Store.Loading(0)
}

type tickMsg struct{}

func tick() tea.Cmd { return tea.Tick(time.Second, func(time.Time) tea.Msg { return tickMsg{} }) }

// Init begins to read.
func (m *Model) Init() tea.Cmd { return tea.Batch(m.due(), tick(), m.listen()) }

func (m *Model) screen() ui.Screen {
	s := m.stacks[m.tab]
	return s[len(s)-1]
}

// due reads what the screen that is on wants.
func (m *Model) due() tea.Cmd {
	return tea.Batch(m.c.Store.Due(m.screen().Info().Wants, m.conn.streaming)...)
}

// Update takes one message in, and all that it posts, before the next.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmds := []tea.Cmd{m.take(msg)}
	for range 100 { // posts may post; a circle would never end
		posted := m.c.Posted()
		if len(posted) == 0 {
			break
		}
		for _, p := range posted {
			cmds = append(cmds, m.take(p))
		}
	}
	m.answering = false
	return m, tea.Batch(cmds...)
}

func (m *Model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyMsg:
		return m.keys(msg)
	case tea.MouseMsg:
		return m.mouseMsg(msg)
	case tea.ResumeMsg:
		if m.mouse { // suspending gave it back to the terminal
			return tea.EnableMouseCellMotion
		}
	case tickMsg:
		return tea.Batch(m.due(), m.beat(), tick())
	case pulseMsg:
		m.beaten(msg.err)
	case ui.SpinMsg:
		return m.spin()
	case store.Loaded:
		return m.loaded(msg)
	case StreamMsg:
		return m.streamed(msg)
	case ui.Done:
		return m.done(msg)
	case ui.Push, ui.Pop, ui.Go, ui.Open, ui.Close, ui.Notice, ui.Act:
		return m.navigate(msg)
	default:
		return m.broadcast(msg)
	}
	return nil
}

// broadcast tells every screen that is open, on whatever number.
func (m *Model) broadcast(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, t := range tabs {
		for _, s := range m.stacks[t] {
			cmds = append(cmds, s.Update(msg))
		}
	}
	return tea.Batch(cmds...)
}

func (m *Model) spin() tea.Cmd {
	m.turn++
	if _, any := m.c.Oldest(); !any {
		return nil
	}
	return ui.Spin()
}

// done hands the answer to a call to who made it.
func (m *Model) done(d ui.Done) tea.Cmd {
	running := m.c.Ended(d.ID)
	shown := false
	for _, dialog := range m.dialogs {
		if f, ok := dialog.(interface{ Calling(int) bool }); ok && f.Calling(d.ID) {
			shown = true
		}
		dialog.Update(d)
	}
	if d.Err != nil {
		if !shown {
			m.notice = ui.Notice{Role: theme.Bad, Text: running.Label + ": " + m.c.Words(d.Err)}
		}
		return nil
	}
	m.answering = true
	if d.Then == nil {
		return nil
	}
	return d.Then(d.Value)
}
