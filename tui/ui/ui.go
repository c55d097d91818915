// Package ui is what screens, dialogs and the root model say to each other.
package ui

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/tui/i18n"
	"ipxe-all-ready/tui/keys"
	"ipxe-all-ready/tui/store"
	"ipxe-all-ready/tui/theme"
)

// Ctx is what every screen works with.
type Ctx struct {
	*theme.Theme
	Lang   i18n.Lang
	Store  *store.Store
	Client *client.ControlPlane
	Now    func() time.Time
	Zone   *time.Location

	calls  map[int]Running
	last   int
	posted []tea.Msg
}

// Running is a call that has not been answered.
type Running struct {
	Label string
	Since time.Time
}

// T is a text in the language on.
func (c *Ctx) T(key string, args ...any) string { return c.Lang.T(key, args...) }

// Info is what the root model shows of a screen.
type Info struct {
	Scopes  []keys.Scope // where its keys are looked up
	Title   string
	Wants   []store.Part
	Status  string // of marks, filter and the like
	Tab     keys.Action
	Pending string // what is being typed at the bottom; "" for nothing
	Marked  bool   // whether a row is marked
}

// Screen is one page.
type Screen interface {
	Info() Info
	Update(msg tea.Msg) tea.Cmd // what is not a key
	Do(a keys.Action) tea.Cmd
	Disabled(a keys.Action) string // why an action is off; "" where it is on
	View(w, h int) []string        // exactly h lines of w columns
}

// Typing is a screen that at times wants every key for itself.
type Typing interface {
	Key(k tea.KeyMsg) (cmd tea.Cmd, taken bool)
}

// Dialog is a box on top of a screen.
type Dialog interface {
	Scope() keys.Scope
	Title() string
	Key(k tea.KeyMsg) tea.Cmd
	Update(msg tea.Msg) tea.Cmd
	View(w, h int) []string // at most h lines of at most w columns
}

// What a screen or a dialog may ask of the root model.
type (
	Push struct { // go on to a screen
		Screen  Screen
		Replace bool // in place of the one that is on
	}
	Pop struct{} // go back
	Go  struct { // to a screen by its number's action
		To   keys.Action
		Root bool // to its list, whatever was open on top
	}
	Open struct { // put a dialog on top
		Dialog   Dialog
		ByItself bool // no key asked for it just now: keys on their way are not meant for it
	}
	Close  struct{ Dialog Dialog }
	Act    struct{ Action keys.Action } // as if its key was pressed
	Notice struct {
		Role theme.Role
		Text string
	}
	Press struct { // a click on line Line of a screen
		Line   int
		Extend bool // with shift
	}
	Wheel struct{ Lines int }
	// MarkWorkers marks these and no others in the list of workers.
	MarkWorkers struct{ IDs []string }
	// UnmarkWorkers takes the marks of these away.
	UnmarkWorkers struct{ IDs []string }
)

// Post hands msg to the root model as soon as the update at hand is done, before
// any other key: what is typed next is meant for what msg brings. It returns no
// command, for the end of a return.
func (c *Ctx) Post(msg tea.Msg) tea.Cmd {
	c.posted = append(c.posted, msg)
	return nil
}

// Posted is what waits, and forgets it.
func (c *Ctx) Posted() []tea.Msg {
	out := c.posted
	c.posted = nil
	return out
}

// Done is the answer to a call.
type Done struct {
	ID    int
	Value any
	Err   error
	Then  func(any) tea.Cmd // what the caller does on success
}

// Call runs do beside the update loop. The answer goes through the root model
// to dialogs and screens; then is called in the loop when it succeeded. One call
// keeps one idempotency key, however often it is sent.
func (c *Ctx) Call(label string, do func(context.Context) (any, error), then func(any) tea.Cmd) (int, tea.Cmd) {
	if c.calls == nil {
		c.calls = map[int]Running{}
	}
	c.last++
	id, key := c.last, rand.Text()
	c.calls[id] = Running{Label: label, Since: c.Now()}
	return id, tea.Batch(func() tea.Msg {
		v, err := do(client.WithKey(context.Background(), key))
		return Done{ID: id, Value: v, Err: err, Then: then}
	}, Spin())
}

// Ended notes that a call was answered and returns it.
func (c *Ctx) Ended(id int) Running {
	r := c.calls[id]
	delete(c.calls, id)
	return r
}

// Oldest is the call that runs longest.
func (c *Ctx) Oldest() (r Running, any bool) {
	for _, x := range c.calls {
		if !any || x.Since.Before(r.Since) {
			r, any = x, true
		}
	}
	return r, any
}

// SpinMsg lets the spinner turn.
type SpinMsg struct{}

// Spin is the spinner's next turn.
func Spin() tea.Cmd {
	return tea.Tick(150*time.Millisecond, func(time.Time) tea.Msg { return SpinMsg{} })
}

// Words is an error in words that say what to do about it.
func (c *Ctx) Words(err error) string {
	text := fault.Sentence(err)
	if fault.As(err) == nil {
		text = err.Error()
	}
	switch fault.KindOf(err) {
	case fault.Unauthorized:
		return text + " — " + c.T("do.token")
	case fault.InProgress:
		return text + " — " + c.T("do.wait")
	case fault.InUse:
		return text + " — " + c.T("do.inuse")
	case fault.NoSpace:
		return text + " — " + c.T("do.space")
	case fault.Unavailable:
		if errors.Is(err, context.DeadlineExceeded) {
			return text + " — " + c.T("do.timeout")
		}
		return text + " — " + c.T("do.again")
	}
	return text
}

// Time is t as a person here reads it.
func (c *Ctx) Time(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.In(c.Zone).Format("01-02 15:04:05")
}
