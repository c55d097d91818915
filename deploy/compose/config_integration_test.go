//go:build integration

package compose

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestComposeTakesTheFilesAsAPersonCopiesThem(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deploy", "compose")
	if err := os.CopyFS(dir, os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".env", "controller.env", "storage.env"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(read(t, name+".example")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for file := range stacks {
		cmd := exec.Command("docker-compose", "-f", file, "config", "-q")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v: %s", file, err, out)
		}
	}
}
