package dialog

import (
	"strings"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
)

// Kind is how a field is filled in.
type Kind int

// The kinds.
const (
	Text   Kind = iota
	Secret      // typed and not shown
	Choice      // one of Options, by ←/→
	Toggle      // yes or no, by space
)

// Option is one value of a choice.
type Option struct{ Value, Label string }

// Field is one line of a form.
type Field struct {
	Name    string
	Label   string
	Kind    Kind
	Value   string // "yes" and "" of a toggle
	Options []Option
	Hint    string                // said while the field is on
	Hidden  func(Values) bool     // nil: always shown
	Choices func(Values) []Option // in place of Options, where they depend on other fields
	Danger  func(Values) bool     // painted as a warning
}

// Values is what was filled in, by field name.
type Values map[string]string

// On reports whether a toggle is on.
func (v Values) On(name string) bool { return v[name] == "yes" }

// input is a field at work.
type input struct {
	Field
	text textinput.Model
}

func newInput(f Field) *input {
	in := &input{Field: f}
	if f.Kind != Text && f.Kind != Secret {
		return in
	}
	in.text = textinput.New()
	in.text.Prompt = ""
	in.text.CharLimit = 512
	in.text.Cursor.SetMode(cursor.CursorStatic)
	if f.Kind == Secret {
		in.text.EchoMode = textinput.EchoPassword
	}
	in.text.SetValue(f.Value)
	in.text.CursorEnd()
	return in
}

func (in *input) typed() bool { return in.Kind == Text || in.Kind == Secret }

func (in *input) value() string {
	if in.typed() {
		return strings.TrimSpace(in.text.Value())
	}
	return in.Value
}

func (in *input) focus(on bool) {
	if !in.typed() {
		return
	}
	if on {
		in.text.Focus()
	} else {
		in.text.Blur()
	}
}

func (in *input) options(v Values) []Option {
	if in.Choices != nil {
		return in.Choices(v)
	}
	return in.Options
}

// step goes to the next or the previous option.
func (in *input) step(n int, v Values) {
	if in.Kind == Toggle {
		in.Value = map[bool]string{true: "", false: "yes"}[in.Value == "yes"]
		return
	}
	o := in.options(v)
	if len(o) == 0 {
		return
	}
	in.Value = o[((in.at(o)+n)%len(o)+len(o))%len(o)].Value
}

func (in *input) at(o []Option) int {
	for i, x := range o {
		if x.Value == in.Value {
			return i
		}
	}
	return 0
}

// settle keeps a choice among its options when those change.
func (in *input) settle(v Values) {
	if in.Kind != Choice {
		return
	}
	if o := in.options(v); len(o) > 0 {
		in.Value = o[in.at(o)].Value
	} else {
		in.Value = ""
	}
}

// clear empties the field, on both sides of the cursor.
func (in *input) clear() {
	if in.typed() {
		in.text.SetValue("")
	}
}

// key types into the field.
func (in *input) key(k tea.KeyMsg) {
	if in.typed() {
		in.text, _ = in.text.Update(k) // its command only makes the cursor blink, or reads a clipboard
	}
}
