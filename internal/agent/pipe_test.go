package agent

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAPipeAmongTheAgentsOwnFilesHoldsNeitherItsStartNorItsCheck(t *testing.T) {
	for name, want := range map[string]string{
		"ipxe-agent.folders.json": "a named pipe, not a regular file",
		"ipxe-agent.targets.json": "a named pipe, not a regular file",
		"ipxe-agent.jsonl":        "this is a named pipe and no file",
	} {
		t.Run(name, func(t *testing.T) {
			root, env := checkSite(t)
			put(t, filepath.Join(root, "target", "core", "x"), "")
			if err := syscall.Mkfifo(filepath.Join(root, name), 0o600); err != nil {
				t.Fatal(err)
			}
			if text, good := checked(t, root, env); good || !strings.Contains(text, "fault    ROOT/"+name+"\n         ") || !strings.Contains(text, want) {
				t.Errorf("got %v\n%s", good, text)
			}
			o, err := FromEnv(func(name string) (string, bool) { v, ok := env[name]; return v, ok })
			if err != nil {
				t.Fatal(err)
			}
			a, err := New(o, slog.New(slog.NewTextHandler(io.Discard, nil)))
			if err != nil {
				t.Fatal(err)
			}
			a.close()
			if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Mode().IsRegular() {
				t.Errorf("it was replaced: %v, %v", info, err)
			}
		})
	}
}
