package atomicfile

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestAFolderThatWasMadeIsFlushedIntoTheOneAboveIt(t *testing.T) {
	root := t.TempDir()
	var flushed []string
	d := osDisk()
	d.syncDir = func(dir string) error { flushed = append(flushed, dir); return syncDir(dir) }
	for range 2 { // the second time there is nothing to do
		if err := d.mkdirAll(filepath.Join(root, "a/b"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{root, filepath.Join(root, "a")}; !slices.Equal(flushed, want) {
		t.Errorf("%q were flushed, want %q", flushed, want)
	}
}

func TestAFolderThatCannotBeMadeIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if err := MkdirAll(dir, 0o755); err == nil {
			t.Errorf("%s was made", dir)
		}
	}
}
