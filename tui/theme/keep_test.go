package theme

import "testing"

func TestALineKeepsWhatWasPaintedAndNothingThatSteers(t *testing.T) {
	th := New(Options{Colour: true, Dark: true})
	red := th.Paint(Bad, "red")
	for in, want := range map[string]string{
		"plain":                          "plain",
		"机房 é 👩‍💻":                       "机房 é 👩‍💻",
		red + " ok":                      red + " ok",
		"a\x1b[2Jb\x1b]0;t\x07c":         "abc",
		"a\x1b[8mb\x1b[5;31mc":           "abc",
		"a\u009bb\x9b2Jc":                "abc",
		"a\nb\r\tc\x7f\bd\x00":           "abcd",
		"a\u202eb\u2066c\x1b":            "abc",
		"a\x1bP$q\"p\x1b\\b\x1b_x\x1b\\": "ab",
		"a\x1b]8;;http://x\x1b\\b":       "ab",
		"a\x1b[38;5;210":                 "a",
	} {
		if got := th.Keep(in); got != want {
			t.Errorf("Keep(%q) = %q, want %q", in, got, want)
		}
	}
}
