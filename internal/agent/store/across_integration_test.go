//go:build integration

package store

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// cloned makes a clone, which must be a true copy, whatever the folder can do.
func cloned(t *testing.T, s *Store, want []byte) {
	t.Helper()
	if says, err := s.CloneWay(); err != nil || says != cloneReflink {
		t.Fatalf("the folder says %q, %v", says, err)
	}
	var way string
	done, err := s.Clone(t.Context(), disk(t, "x_tpl_1.img"), disk(t, "a.img"), func(step Step) { way = step.Way })
	if err != nil || done.Way != WayCopy || way != WayCopy || done.Bytes != int64(len(want)) {
		t.Fatalf("Clone = %+v, %v; told %q", done, err, way)
	}
	clone := filepath.Join(s.Dir(), "a.img")
	if got, err := os.ReadFile(clone); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the clone differs, %v", err)
	}
	if got := allocated(t, clone); got > 4<<20 {
		t.Errorf("the clone takes %d bytes: its holes are filled", got)
	}
}

func TestAMasterThatIsMountedFromAnotherFileSystemIsCopied(t *testing.T) {
	s, other := mounted(t, 400<<20, "mkfs.btrfs", "-q"), mounted(t, 64<<20, "mkfs.ext4", "-q")
	want := sparseMaster(t, other)
	put(t, s, "x_tpl_1.img", nil, 0)
	run(t, "mount", "--bind", filepath.Join(other.Dir(), "x_tpl_1.img"), filepath.Join(s.Dir(), "x_tpl_1.img"))
	t.Cleanup(func() { run(t, "umount", filepath.Join(s.Dir(), "x_tpl_1.img")) })
	cloned(t, s, want)
}

// A file without copy-on-write shares no blocks with one that has it.
func TestAMasterThatTheFileSystemWillNotShareIsCopied(t *testing.T) {
	s := mounted(t, 400<<20, "mkfs.btrfs", "-q")
	put(t, s, "x_tpl_1.img", nil, 0)
	run(t, "chattr", "+C", filepath.Join(s.Dir(), "x_tpl_1.img"))
	cloned(t, s, sparseMaster(t, s))
}
