package tui_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var escape = regexp.MustCompile(`\^\[\[[0-9;]*m`)

func TestTheFramesInTheReadmeAreThoseOfTheConsole(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"workers", "batch"} {
		b, err := os.ReadFile(filepath.Join("testdata", name+"_en_none.golden"))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(b), "=== 80x24\n")
		frame, _, _ := strings.Cut(rest, "=== ")
		var lines []string
		for _, l := range strings.Split(escape.ReplaceAllString(frame, ""), "\n") {
			lines = append(lines, strings.TrimRight(l, " "))
		}
		if want := strings.TrimRight(strings.Join(lines, "\n"), "\n"); !strings.Contains(string(readme), want) {
			t.Errorf("README.md does not show %s as it is now:\n%s", name, want)
		}
	}
}
