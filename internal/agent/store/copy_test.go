package store

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestAPieceIsMovedTheSameByEitherWayAndAnEarlyEndIsTold(t *testing.T) {
	dir := t.TempDir()
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<12) // 64 KiB
	open := func(name string, text []byte) *os.File {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	for name, plain := range map[string]bool{"by the file system": false, "by reading and writing": true} {
		m := mover{src: open("src", content), dst: open("dst", make([]byte, len(content))), plain: plain}
		for _, at := range []int64{1 << 10, 32 << 10} {
			if err := m.move(at, 5000); err != nil || m.plain != plain {
				t.Fatalf("%s: %v, plain %v", name, err, m.plain)
			}
		}
		want := make([]byte, len(content))
		copy(want[1<<10:1<<10+5000], content[1<<10:])
		copy(want[32<<10:32<<10+5000], content[32<<10:])
		if got, err := os.ReadFile(m.dst.Name()); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: the copy differs, %v", name, err)
		}
		if err := m.move(int64(len(content))-100, 200); !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: beyond the source's end: %v", name, err)
		}
	}
}
