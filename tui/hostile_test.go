package tui_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"ipxe-all-ready/tui"
	"ipxe-all-ready/tui/i18n"
	"ipxe-all-ready/tui/tuitest"
)

// steering is what a word must not do to a terminal: colours, another title, a
// cleared screen, in bytes and in the C1 form, a question that the terminal
// answers as if keys were pressed, text that runs the other way, a line more.
const steering = "\x1b[31mred\x1b[0m\x1b]0;title\x07\x1b[2J\u009b2J\x1b[6n\x1bP$q\x1b\\\u202eabc\r\n\b\x7f"

// known are the words by which answers are told apart; the way to a screen
// goes by them.
var known = []string{"worker_id", "id", "hostname", "state", "status", "kind", "health", "ts", "started_at", "ended_at", "last_boot_at", "mtime", "backend", "op", "iqn", "mac"}

// hostile appends steering to every string of an answer, but where keep says no.
func hostile(v any, key string, keep []string) any {
	switch x := v.(type) {
	case string:
		for _, k := range keep {
			if k == key {
				return x
			}
		}
		return x + steering
	case []any:
		for i := range x {
			x[i] = hostile(x[i], key, keep)
		}
	case map[string]any:
		for k := range x {
			x[k] = hostile(x[k], k, keep)
		}
	}
	return v
}

func hostileAnswers(t *testing.T, keep []string) map[string]any {
	t.Helper()
	out := map[string]any{}
	for path, v := range answers() {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var tree any
		if err := json.Unmarshal(text, &tree); err != nil {
			t.Fatal(err)
		}
		out[path] = hostile(tree, "", keep)
	}
	return out
}

// ours is all that the console sends of its own where there are no colours.
var ours = strings.NewReplacer("\x1b[0m", "", "\x1b[1m", "", "\x1b[7m", "")

// steers is what of a frame without colours would reach a terminal as more than text.
func steers(frame string) string {
	for line := range strings.SplitSeq(ours.Replace(frame), "\n") {
		if i := strings.IndexFunc(line, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }); i >= 0 {
			return fmt.Sprintf("%q", line)
		}
	}
	return ""
}

func TestNoWordOfOthersSteersTheTerminal(t *testing.T) {
	for _, f := range frames {
		t.Run(f.name, func(t *testing.T) {
			s := serve(t, hostileAnswers(t, known))
			d := tuitest.Start(t, options(s.URL, i18n.English, false), tuitest.NewClock(noon), 80, 24)
			d.Settle()
			f.go_(d)
			for _, w := range windows {
				d.Resize(w[0], w[1])
				if bad := steers(d.View()); bad != "" {
					t.Errorf("%dx%d: %s", w[0], w[1], bad)
				}
			}
		})
	}
}

func TestNoNameOfOthersSteersTheTerminal(t *testing.T) {
	s := serve(t, hostileAnswers(t, []string{"ts", "started_at", "ended_at", "last_boot_at", "mtime"}))
	d := tuitest.Start(t, options(s.URL, i18n.English, false), tuitest.NewClock(noon), 200, 60)
	d.Send(tui.StreamMsg{State: true})
	d.Settle()
	for _, key := range []string{"1", "2", "3", "4", "5", "6"} {
		for _, then := range []string{key, "enter", "space", "esc", "down", "d", "esc", "D", "esc", "f", "esc", "b", "esc", "?", "esc"} {
			d.Press(then)
			d.Settle()
			if bad := steers(d.View()); bad != "" {
				t.Errorf("screen %s, key %s: %s", key, then, bad)
			}
		}
	}
}
