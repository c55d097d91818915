// Package dialog owns the boxes on top of a screen: forms, lists to pick from
// and texts to read.
package dialog

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/tui/keys"
	"ipxe-all-ready/tui/ui"
)

// Request is what a form does when it is sent.
type Request struct {
	Label string
	Do    func(context.Context) (any, error)
	Then  func(any) tea.Cmd // after the form has closed
	Keep  func(any) bool    // nil or false: the form closes on success
}

// Options describe a form.
type Options struct {
	Title  string
	Fields []Field
	Intro  func(Values) []string              // above the fields; painted by the caller
	Check  func(Values) (field, wrong string) // wrong "": nothing is
	// Decline reports that the harmless answer was chosen: the form closes and
	// does nothing.
	Decline func(Values) bool
	Submit  func(Values) Request
	Verb    string // what enter does on the last field
}

// Form is fields to fill in.
type Form struct {
	c      *ui.Ctx
	o      Options
	inputs []*input
	at     int
	err    string
	call   int // 0: none under way
	closed bool
}

// NewForm makes a form.
func NewForm(c *ui.Ctx, o Options) *Form {
	f := &Form{c: c, o: o}
	for _, field := range o.Fields {
		f.inputs = append(f.inputs, newInput(field))
	}
	f.settle()
	f.move(0)
	return f
}

// Confirm is a form that asks yes or no, and no is the answer given.
func Confirm(c *ui.Ctx, title, yes string, intro []string, req Request) *Form {
	return NewForm(c, Options{
		Title: title, Intro: func(Values) []string { return intro },
		Fields:  []Field{Answer(c, yes)},
		Decline: Declined,
		Submit:  func(Values) Request { return req },
	})
}

// Answer is the field that lets a destructive form do anything.
func Answer(c *ui.Ctx, yes string) Field {
	return Field{Name: "answer", Label: c.T("answer"), Kind: Choice, Hint: c.T("answer.hint"),
		Options: []Option{{"no", c.T("answer.no")}, {"yes", yes}},
		Danger:  func(v Values) bool { return v.On("answer") }}
}

// Declined reports whether that field says no.
func Declined(v Values) bool { return !v.On("answer") }

// Scope is where its keys are looked up.
func (f *Form) Scope() keys.Scope { return keys.Form }

// Title names it.
func (f *Form) Title() string { return f.o.Title }

// Values is what is filled in.
func (f *Form) Values() Values {
	v := Values{}
	for _, in := range f.inputs {
		v[in.Name] = in.value()
	}
	return v
}

func (f *Form) hidden(i int) bool {
	in := f.inputs[i]
	return in.Hidden != nil && in.Hidden(f.Values())
}

// move goes n visible fields on.
func (f *Form) move(n int) {
	if len(f.inputs) == 0 {
		return
	}
	f.inputs[f.at].focus(false)
	step := 1
	if n < 0 {
		step = -1
	}
	next := f.at + n
	for range len(f.inputs) {
		next = (next + len(f.inputs)) % len(f.inputs)
		if !f.hidden(next) {
			break
		}
		next += step
	}
	f.at = next
	f.inputs[f.at].focus(true)
}

// goTo goes to a field by its name, if that is shown.
func (f *Form) goTo(name string) {
	for i, in := range f.inputs {
		if in.Name == name && !f.hidden(i) {
			f.move(i - f.at)
			return
		}
	}
}

// last reports whether no field that is shown comes after the one that is on.
func (f *Form) last() bool {
	for i := f.at + 1; i < len(f.inputs); i++ {
		if !f.hidden(i) {
			return false
		}
	}
	return true
}

func (f *Form) settle() {
	for _, in := range f.inputs {
		in.settle(f.Values())
	}
}

// Key takes every key: what is no key of a form is typed.
func (f *Form) Key(k tea.KeyMsg) tea.Cmd {
	a, _ := keys.Find(k.String(), keys.Form)
	if k.Paste {
		a = ""
	}
	if a == keys.Back {
		f.closed = true
		return f.c.Post(ui.Close{Dialog: f})
	}
	if f.call != 0 || len(f.inputs) == 0 {
		return nil
	}
	if a == keys.Enter && f.last() {
		return f.submit()
	}
	in := f.inputs[f.at]
	switch {
	case a == keys.NextField || a == keys.Enter:
		f.move(1)
	case a == keys.PrevField:
		f.move(-1)
	case a == keys.Clear:
		f.err = ""
		in.clear()
	case in.typed():
		f.err = ""
		in.key(k)
	case a == keys.Choose || k.String() == " ":
		f.err = ""
		in.step(map[bool]int{true: -1, false: 1}[k.String() == "left"], f.Values())
	}
	f.settle()
	return nil
}

func (f *Form) submit() tea.Cmd {
	f.settle() // what there is to choose from may have arrived since the last key
	v := f.Values()
	if f.o.Decline != nil && f.o.Decline(v) {
		return tea.Batch(f.c.Post(ui.Close{Dialog: f}), f.c.Post(ui.Notice{Text: f.c.T("nothing.done")}))
	}
	if f.o.Check != nil {
		var field string
		if field, f.err = f.o.Check(v); f.err != "" {
			f.goTo(field)
			return nil
		}
	}
	f.err = ""
	req := f.o.Submit(v)
	if req.Do == nil {
		return tea.Batch(f.c.Post(ui.Close{Dialog: f}), req.Then(nil))
	}
	var cmd tea.Cmd
	f.call, cmd = f.c.Call(req.Label, req.Do, func(answer any) tea.Cmd {
		if f.closed { // its person went on to something else
			return f.c.Post(ui.Notice{Text: f.c.T("form.done", req.Label)})
		}
		var then tea.Cmd
		if req.Then != nil {
			then = req.Then(answer)
		}
		if req.Keep != nil && req.Keep(answer) {
			return then
		}
		return tea.Batch(f.c.Post(ui.Close{Dialog: f}), then)
	})
	return cmd
}

// Calling reports whether the answer to a call is this form's to show.
func (f *Form) Calling(id int) bool { return f.call == id }

// Update hears of the answer.
func (f *Form) Update(msg tea.Msg) tea.Cmd {
	if d, ok := msg.(ui.Done); ok && d.ID == f.call {
		f.call = 0
		if d.Err != nil {
			f.err = f.c.Words(d.Err)
		}
	}
	return nil
}
