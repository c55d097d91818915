package keydoc

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write docs/tui.md anew")

func TestThePageIsWhatTheTableOfKeysSays(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "tui.md")
	if *update {
		if err := os.WriteFile(path, []byte(Page()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != Page() {
		t.Error("docs/tui.md is old; go test ./tui/keydoc -update writes it anew")
	}
}
