// Package tuitest drives the console as a person does: keys in, frames out. Its
// commands run beside the update loop as they do in the terminal library; its
// clock stands still but for the keys.
package tuitest

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"ipxe-all-ready/tui"
)

// Clock is a clock that a test moves.
type Clock struct{ at time.Time }

// NewClock starts at a time.
func NewClock(at time.Time) *Clock { return &Clock{at} }

// Now is what it shows.
func (c *Clock) Now() time.Time { return c.at }

// Forward moves it.
func (c *Clock) Forward(d time.Duration) { c.at = c.at.Add(d) }

// Driver runs a model.
type Driver struct {
	t     *testing.T
	m     tea.Model
	clock *Clock
	msgs  chan tea.Msg
	done  chan struct{}
	quit  bool
}

// patience is how long anything may take.
const patience = 20 * time.Second

// Start runs a console in a window of w columns and h lines.
func Start(t *testing.T, o tui.Options, clock *Clock, w, h int) *Driver {
	t.Helper()
	o.Now, o.Zone = clock.Now, time.UTC
	d := &Driver{t: t, m: tui.New(o), clock: clock, msgs: make(chan tea.Msg), done: make(chan struct{})}
	t.Cleanup(func() { close(d.done) })
	d.run(d.m.Init())
	d.Resize(w, h)
	return d
}

// run starts a command; its answer waits until the loop takes it.
func (d *Driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		msg := cmd()
		select {
		case d.msgs <- msg:
		case <-d.done:
		}
	}()
}

func (d *Driver) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
	case tea.QuitMsg:
		d.quit = true
	default:
		var cmd tea.Cmd
		d.m, cmd = d.m.Update(msg)
		d.run(cmd)
	}
}

// Resize changes the window.
func (d *Driver) Resize(w, h int) { d.take(tea.WindowSizeMsg{Width: w, Height: h}) }

// Send hands any message in.
func (d *Driver) Send(msg tea.Msg) { d.take(msg) }

// Frame is what is on screen, without colours.
func (d *Driver) Frame() string { return ansi.Strip(d.m.View()) }

// View is the same with them.
func (d *Driver) View() string { return d.m.View() }

// Quit reports whether the program has ended.
func (d *Driver) Quit() bool { return d.quit }

// Until takes messages in until the frame shows all of the texts.
func (d *Driver) Until(texts ...string) {
	d.t.Helper()
	d.UntilTrue(strings.Join(texts, " and "), func() bool {
		f := d.Frame()
		for _, x := range texts {
			if !strings.Contains(f, x) {
				return false
			}
		}
		return true
	})
}

// Without takes messages in until the frame shows a text no more.
func (d *Driver) Without(text string) {
	d.t.Helper()
	d.UntilTrue("no "+text, func() bool { return !strings.Contains(d.Frame(), text) })
}

// UntilTrue takes messages in until something is so.
func (d *Driver) UntilTrue(what string, so func() bool) {
	d.t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for !so() {
		select {
		case msg := <-d.msgs:
			d.take(msg)
		case <-limit.C:
			d.t.Fatalf("waited for %s; on screen is\n%s", what, d.Frame())
		}
	}
}

// Settled reports whether no call and no load is under way.
func (d *Driver) Settled() bool { return d.m.(*tui.Model).Idle() }

// Settle takes messages in until every call and load is answered.
func (d *Driver) Settle() {
	d.t.Helper()
	d.UntilTrue("every answer", d.Settled)
}

// Press presses keys, each named as the terminal library does; a word that is
// no key's name is typed.
func (d *Driver) Press(names ...string) {
	d.t.Helper()
	for _, n := range names {
		d.clock.Forward(time.Second) // a person looks before the next key
		if k, ok := named[n]; ok {
			d.take(tea.KeyMsg(k))
			continue
		}
		d.take(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(n)})
	}
}

// Clear empties the field that is on.
func (d *Driver) Clear() { d.Press("ctrl+u") }

// Paste pastes a text.
func (d *Driver) Paste(text string) {
	d.take(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true})
}

var named = map[string]tea.Key{
	"enter": {Type: tea.KeyEnter}, "esc": {Type: tea.KeyEsc}, "tab": {Type: tea.KeyTab}, "shift+tab": {Type: tea.KeyShiftTab},
	"up": {Type: tea.KeyUp}, "down": {Type: tea.KeyDown}, "left": {Type: tea.KeyLeft}, "right": {Type: tea.KeyRight},
	"shift+up": {Type: tea.KeyShiftUp}, "shift+down": {Type: tea.KeyShiftDown}, "shift+home": {Type: tea.KeyShiftHome}, "shift+end": {Type: tea.KeyShiftEnd},
	"home": {Type: tea.KeyHome}, "end": {Type: tea.KeyEnd}, "pgup": {Type: tea.KeyPgUp}, "pgdown": {Type: tea.KeyPgDown},
	"space": {Type: tea.KeySpace, Runes: []rune{' '}}, "ctrl+c": {Type: tea.KeyCtrlC}, "ctrl+u": {Type: tea.KeyCtrlU}, "ctrl+r": {Type: tea.KeyCtrlR},
	"backspace": {Type: tea.KeyBackspace}, "f1": {Type: tea.KeyF1},
}
