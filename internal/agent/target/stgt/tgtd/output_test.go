package tgtd

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAPipeThatNobodyReadsKeepsTgtdFromNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tgtd.log")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	s := Supervisor{Output: path, Log: slog.New(slog.NewTextHandler(&said, nil))}
	out, err := s.output()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if out.Name() != os.DevNull || !strings.Contains(said.String(), "what tgtd says is lost") {
		t.Errorf("%s is written, and the log says %s", out.Name(), &said)
	}
}
