package arch

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var setting = regexp.MustCompile(`\bIPXE_[A-Z0-9_]*[A-Z0-9]\b`)

// TestEverySettingIsDocumentedAndEveryDocumentedOneExists holds docs/settings.md
// against the variables that the daemons' code names.
func TestEverySettingIsDocumentedAndEveryDocumentedOneExists(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "settings.md"))
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, name := range setting.FindAllString(string(page), -1) {
		documented[name] = true
	}
	read := map[string]bool{}
	for _, dir := range []string{"internal/controlplane", "internal/agent"} {
		if err := settingsIn(filepath.Join(root, dir), read); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(read)) {
		if !documented[name] {
			t.Errorf("%s is read and not in docs/settings.md", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(documented)) {
		if !read[name] {
			t.Errorf("%s is in docs/settings.md and read nowhere", name)
		}
	}
}

func settingsIn(dir string, into map[string]bool) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		for _, name := range setting.FindAllString(string(b), -1) {
			into[name] = true
		}
		return err
	})
}
