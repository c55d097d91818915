//go:build integration

package store

import (
	"os"
	"path/filepath"
	"testing"

	"ipxe-all-ready/internal/fault"
)

func TestAFolderThatIsReallyUnmountedIsWaitedFor(t *testing.T) {
	root := t.TempDir()
	disks, dir := filepath.Join(root, "disks"), filepath.Join(root, "images")
	for _, d := range []string{disks, dir} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	m := marked{record: filepath.Join(root, "record.json")}
	m.Store = m.restart(t, dir)
	wantImages(t, m.Store, 0) // the first start came before the first mount
	run(t, "mount", "--bind", disks, dir)
	t.Cleanup(func() { run(t, "umount", "-l", dir) })
	put(t, m.Store, "a.img", nil, 512)
	wantImages(t, m.Store, 1)

	run(t, "umount", "-l", dir)
	for _, s := range []*Store{m.Store, m.restart(t, dir)} {
		wantFault(t, s.Writable(), fault.Unavailable, m.unmountedSentence())
		wantFault(t, s.Blank(t.Context(), disk(t, "b.img"), 1<<20), fault.Unavailable, m.unmountedSentence())
		wantNothing(t, s)
	}
	run(t, "mount", "--bind", disks, dir)
	wantImages(t, m.Store, 1)
	if err := m.Blank(t.Context(), disk(t, "b.img"), 1<<20); err != nil {
		t.Error(err)
	}
}

func TestAFileSystemThatTurnedReadOnlyIsUnavailable(t *testing.T) {
	s := mounted(t, 64<<20, "mkfs.ext4", "-q")
	put(t, s, "a.img", nil, 512)
	run(t, "mount", "-o", "remount,ro", s.Dir())
	wantFault(t, s.Writable(), fault.Unavailable, "write to image folder "+s.Dir()+": read-only file system")
	wantFault(t, s.Blank(t.Context(), disk(t, "b.img"), 1<<20), fault.Unavailable, "create b.img: read-only file system")
	wantFault(t, s.Remove(disk(t, "a.img")), fault.Unavailable, "delete a.img: read-only file system")
	wantImages(t, s, 1)
}
