package dialog

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

func newCtx() *ui.Ctx {
	return &ui.Ctx{Theme: theme.New(theme.Options{}), Now: func() time.Time { return time.Unix(0, 0) }, Zone: time.UTC}
}

func press(f *Form, types ...tea.KeyType) {
	for _, k := range types {
		f.Key(tea.KeyMsg{Type: k})
	}
}

func write(f *Form, text string) { f.Key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text)}) }

// closed reports whether the form asked to be closed.
func closed(c *ui.Ctx) bool {
	for _, p := range c.Posted() {
		if _, ok := p.(ui.Close); ok {
			return true
		}
	}
	return false
}

func sample(c *ui.Ctx, sent *Values) *Form {
	return NewForm(c, Options{
		Title: "sample",
		Fields: []Field{
			{Name: "name", Label: "Name", Hint: "a hint"},
			{Name: "kind", Label: "Kind", Kind: Choice, Options: []Option{{"a", "A"}, {"b", "B"}, {"c", "C"}}},
			{Name: "extra", Label: "Extra", Kind: Toggle, Hidden: func(v Values) bool { return v["kind"] != "b" }},
		},
		Check: func(v Values) (string, string) {
			if v["name"] == "" {
				return "name", "a name is missing"
			}
			return "", ""
		},
		Submit: func(v Values) Request {
			*sent = v
			return Request{Label: "sending", Do: func(context.Context) (any, error) { return nil, nil }}
		},
	})
}

func TestHiddenFieldsArePassedOver(t *testing.T) {
	var sent Values
	c := newCtx()
	f := sample(c, &sent)
	write(f, "x")
	press(f, tea.KeyTab, tea.KeyTab) // name → kind → name
	write(f, "y")
	press(f, tea.KeyTab, tea.KeyRight, tea.KeyTab) // kind b shows extra
	f.Key(tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}})
	press(f, tea.KeyEnter)
	if sent["name"] != "xy" || sent["kind"] != "b" || !sent.On("extra") {
		t.Errorf("%v", sent)
	}
}

func TestAMistakeIsSaidAndNothingIsSent(t *testing.T) {
	var sent Values
	f := sample(newCtx(), &sent)
	press(f, tea.KeyEnter, tea.KeyEnter)
	if got := strings.Join(f.View(60, 20), "\n"); sent != nil || !strings.Contains(got, "! a name is missing") {
		t.Errorf("%v\n%s", sent, got)
	}
	write(f, "x")
	if got := strings.Join(f.View(60, 20), "\n"); strings.Contains(got, "missing") {
		t.Errorf("the sentence stays after it was heeded:\n%s", got)
	}
}

func TestEnterGoesToTheNextFieldAndSendsOnTheLast(t *testing.T) {
	var sent Values
	f := sample(newCtx(), &sent)
	write(f, "x")
	press(f, tea.KeyEnter)
	if sent != nil || f.at != 1 {
		t.Fatalf("%v at %d", sent, f.at)
	}
	press(f, tea.KeyRight, tea.KeyEnter) // kind b shows extra, which is the last now
	if sent != nil || f.at != 2 {
		t.Fatalf("%v at %d", sent, f.at)
	}
	press(f, tea.KeyEnter)
	if sent["kind"] != "b" {
		t.Errorf("%v", sent)
	}
}

func TestTheFieldWithTheMistakeIsTheOneThatIsOnNext(t *testing.T) {
	var sent Values
	f := sample(newCtx(), &sent)
	press(f, tea.KeyTab, tea.KeyEnter)
	write(f, "y")
	if sent != nil || f.Values()["name"] != "y" {
		t.Errorf("%v %v", sent, f.Values())
	}
}

func TestCtrlUEmptiesTheWholeField(t *testing.T) {
	var sent Values
	f := sample(newCtx(), &sent)
	write(f, "abc")
	press(f, tea.KeyLeft, tea.KeyCtrlU)
	if v := f.Values()["name"]; v != "" {
		t.Errorf("%q is left", v)
	}
}

func TestAFormUnderWayTakesNoKeyButEsc(t *testing.T) {
	var sent Values
	c := newCtx()
	f := sample(c, &sent)
	write(f, "x")
	press(f, tea.KeyEnter, tea.KeyEnter, tea.KeyEnter)
	write(f, "more")
	if f.Values()["name"] != "x" || !f.Calling(1) || f.Calling(2) {
		t.Errorf("%v", f.Values())
	}
	f.Update(ui.Done{ID: 1, Err: errors.New("the node is away")})
	if got := strings.Join(f.View(60, 20), "\n"); !strings.Contains(got, "the node is away") || closed(c) {
		t.Errorf("the error is not there, or the form is not:\n%s", got)
	}
	press(f, tea.KeyEnter, tea.KeyEsc)
	if !closed(c) {
		t.Error("esc does not close it")
	}
}

func TestAConfirmationThatIsNotChangedDoesNothing(t *testing.T) {
	c := newCtx()
	did := false
	f := Confirm(c, "really", "yes", []string{"much is lost"}, Request{Do: func(context.Context) (any, error) { did = true; return nil, nil }})
	press(f, tea.KeyEnter)
	if did || f.call != 0 || !closed(c) {
		t.Error("enter alone went through")
	}
	f = Confirm(c, "really", "yes", nil, Request{Do: func(context.Context) (any, error) { return nil, nil }})
	press(f, tea.KeyRight, tea.KeyEnter)
	if f.call == 0 {
		t.Error("yes does nothing")
	}
}

func TestChoicesThatArriveLateAreTaken(t *testing.T) {
	var options []Option
	var sent Values
	f := NewForm(newCtx(), Options{Fields: []Field{{Name: "m", Kind: Choice, Choices: func(Values) []Option { return options }}},
		Submit: func(v Values) Request {
			sent = v
			return Request{Do: func(context.Context) (any, error) { return nil, nil }}
		}})
	options = []Option{{"first", "First"}}
	press(f, tea.KeyEnter)
	if sent["m"] != "first" {
		t.Errorf("%v", sent)
	}
}

func TestAFormFitsEveryBox(t *testing.T) {
	var sent Values
	f := sample(newCtx(), &sent)
	f.o.Intro = func(Values) []string { return []string{strings.Repeat("words 字 ", 40)} }
	write(f, strings.Repeat("长", 100))
	for _, w := range []int{20, 36, 74} {
		for _, h := range []int{3, 4, 6, 9, 20} {
			lines := f.View(w, h)
			if len(lines) > h {
				t.Errorf("%dx%d: %d lines", w, h, len(lines))
			}
			for _, l := range lines {
				if cell.Width(l) > w {
					t.Errorf("%dx%d: %d columns in %q", w, h, cell.Width(l), l)
				}
			}
			if !strings.Contains(strings.Join(lines, "\n"), "> Name") {
				t.Errorf("%dx%d: the field that is on is not on screen", w, h)
			}
		}
	}
}
