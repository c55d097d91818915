package tui_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/i18n"
	"ipxe-all-ready/tui/tuitest"
)

var update = flag.Bool("update", false, "write the golden frames anew")

var windows = [][2]int{{60, 15}, {80, 24}, {120, 40}, {200, 60}}

// frames is every screen and dialog, and the way to it.
var frames = []struct {
	name string
	go_  func(d *tuitest.Driver)
}{
	{"overview", func(d *tuitest.Driver) { d.Settle() }},
	{"workers", func(d *tuitest.Driver) {
		d.Press("2")
		d.Settle()
		d.Press("shift+down", "shift+down", "down")
	}},
	{"workers-filter", func(d *tuitest.Driver) {
		d.Press("2")
		d.Settle()
		d.Press("a", "s", "/", "state:ready")
	}},
	{"register", func(d *tuitest.Driver) { d.Press("2"); d.Settle(); d.Press("n", "tab", "525400") }},
	{"worker", func(d *tuitest.Driver) {
		worker03(d)
	}},
	{"disk", func(d *tuitest.Driver) {
		worker03(d)
		d.Press("d", "tab", "tab", "right", "tab")
	}},
	{"batch", func(d *tuitest.Driver) {
		d.Press("2")
		d.Settle()
		d.Press("shift+down", "shift+down", "shift+down", "b", "enter", "enter", "enter")
		d.Settle()
		d.Press("space", "space", "r", "tab")
	}},
	{"delete", func(d *tuitest.Driver) {
		d.Press("2")
		d.Settle()
		d.Press("shift+end", "D", "space")
	}},
	{"agents", func(d *tuitest.Driver) { d.Press("3", "down"); d.Settle() }},
	{"probe", func(d *tuitest.Driver) {
		d.Press("3")
		d.Settle()
		d.Press("n", "enter", "enter")
		d.Until("192.168.80.9:4840", "lio")
		d.Settle()
	}},
	{"luns", func(d *tuitest.Driver) {
		d.Press("3")
		d.Settle()
		d.Press("enter")
		d.Until("left-over")
		d.Settle()
	}},
	{"operations", func(d *tuitest.Driver) { d.Press("4"); d.Settle(); d.Press("down") }},
	{"record", func(d *tuitest.Driver) { d.Press("4"); d.Settle(); d.Press("enter") }},
	{"tasks", func(d *tuitest.Driver) { d.Press("5"); d.Settle() }},
	{"task", func(d *tuitest.Driver) {
		d.Press("5")
		d.Settle()
		d.Press("down", "enter")
		d.Until("worker-04")
		d.Settle()
	}},
	{"reconcile", func(d *tuitest.Driver) { d.Press("6"); d.Settle(); d.Press("space") }},
	{"fix", func(d *tuitest.Driver) { d.Press("6"); d.Settle(); d.Press("f") }},
	{"help", func(d *tuitest.Driver) { d.Press("2"); d.Settle(); d.Press("?") }},
	{"palette", func(d *tuitest.Driver) { d.Press("2"); d.Settle(); d.Press(":", "1") }},
}

// worker03 opens that worker and waits, in a window that shows all of it.
func worker03(d *tuitest.Driver) {
	d.Press("2")
	d.Settle()
	d.Resize(200, 60)
	d.Press("down", "down", "enter")
	d.Until("52:54:00:00:00:03 = worker-03", "worker.disk.create")
	d.Settle()
}

func TestEveryScreenLooksAsRecordedInEveryWindowLanguageAndColour(t *testing.T) {
	for _, f := range frames {
		for _, lang := range i18n.Langs {
			for _, colour := range []bool{false, true} {
				name := fmt.Sprintf("%s_%s_%s", f.name, lang.Code(), map[bool]string{false: "none", true: "colour"}[colour])
				t.Run(name, func(t *testing.T) {
					d := console(t, lang, colour)
					f.go_(d)
					golden(t, name, d)
				})
			}
		}
	}
}

// golden holds the frame in every window against testdata.
func golden(t *testing.T, name string, d *tuitest.Driver) {
	t.Helper()
	var b strings.Builder
	for _, w := range windows {
		d.Resize(w[0], w[1])
		lines := strings.Split(d.View(), "\n")
		if len(lines) != w[1] {
			t.Errorf("%dx%d: %d lines", w[0], w[1], len(lines))
		}
		fmt.Fprintf(&b, "=== %dx%d\n", w[0], w[1])
		for _, l := range lines {
			if cell.Width(l) > w[0] {
				t.Errorf("%dx%d: %d columns in %q", w[0], w[1], cell.Width(l), l)
			}
			b.WriteString(strings.TrimRight(strings.ReplaceAll(l, "\x1b", "^["), " ") + "\n")
		}
	}
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("%s is another frame now; go test ./tui -update writes it anew, git diff shows how:\n%s", path, difference(string(want), b.String()))
	}
}

// difference is the first line that is another.
func difference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d was\n%s\nand is\n%s", i+1, a[i], b[i])
		}
	}
	return "one is longer"
}
