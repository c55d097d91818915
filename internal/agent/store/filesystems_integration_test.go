//go:build integration

package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/fault"
)

// mounted is a folder on a file system of its own, made on a loop device.
func mounted(t *testing.T, size int64, mkfs ...string) *Store {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mnt")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if mkfs == nil {
		run(t, "mount", "-t", "tmpfs", "-o", "size=64M", "tmpfs", dir)
	} else {
		device := filepath.Join(t.TempDir(), "device")
		if err := errors.Join(os.WriteFile(device, nil, 0o600), os.Truncate(device, size)); err != nil {
			t.Fatal(err)
		}
		run(t, mkfs[0], append(mkfs[1:], device)...)
		run(t, "mount", "-o", "loop", device, dir) // the loop device goes with the mount
	}
	t.Cleanup(func() { run(t, "umount", dir) })
	s := New(Options{Dir: dir})
	if _, err := s.Attach(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // or the file system stays busy
		root := s.root
		s.Close()
		_ = root.Close()
	})
	return s
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
}

// sparseMaster has two runs of data far apart, the second up to its odd end.
func sparseMaster(t *testing.T, s *Store) (content []byte) {
	t.Helper()
	content = make([]byte, 24<<20+512)
	copy(content[3<<20:], bytes.Repeat([]byte("data"), 1<<19))
	copy(content[24<<20:], bytes.Repeat([]byte("end!"), 128))
	f, err := os.Create(filepath.Join(s.Dir(), "x_tpl_1.img"))
	if err != nil {
		t.Fatal(err)
	}
	_, e1 := f.WriteAt(content[3<<20:5<<20], 3<<20)
	_, e2 := f.WriteAt(content[24<<20:], 24<<20)
	if err := errors.Join(e1, e2, f.Sync(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return content
}

func allocated(t *testing.T, path string) int64 {
	t.Helper()
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		t.Fatal(err)
	}
	return st.Blocks * 512
}

func TestCloneTellsTheTruthOnEveryFileSystem(t *testing.T) {
	for _, c := range []struct {
		name, fsType, way, says string
		mkfs                    []string
	}{
		{"btrfs", "btrfs", WayReflink, "reflink (FICLONE)", []string{"mkfs.btrfs", "-q"}},
		{"xfs with reflink", "xfs", WayReflink, "reflink (FICLONE)", []string{"mkfs.xfs", "-q", "-m", "reflink=1"}},
		{"xfs without reflink", "xfs", WayCopy, "full copy (FICLONE here: operation not supported)", []string{"mkfs.xfs", "-q", "-m", "reflink=0"}},
		{"ext4", "ext4", WayCopy, "full copy (FICLONE here: operation not supported)", []string{"mkfs.ext4", "-q"}},
		{"tmpfs", "tmpfs", WayCopy, "full copy (FICLONE here: operation not supported)", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mounted(t, 400<<20, c.mkfs...)
			if says, err := s.CloneWay(); err != nil || says != c.says {
				t.Errorf("capabilities say %q, %v; want %q", says, err, c.says)
			}
			if space, err := s.Space(); err != nil || space.FSType != c.fsType || space.Free <= 0 || space.Total < space.Free {
				t.Errorf("Space = %+v, %v", space, err)
			}
			want := sparseMaster(t, s)
			done, err := s.Clone(t.Context(), disk(t, "x_tpl_1.img"), disk(t, "a.img"), nil)
			if err != nil || done.Way != c.way || done.Bytes != int64(len(want)) {
				t.Fatalf("Clone = %+v, %v", done, err)
			}
			clone := filepath.Join(s.Dir(), "a.img")
			if got, err := os.ReadFile(clone); err != nil || !bytes.Equal(got, want) {
				t.Errorf("the clone differs, %v", err)
			}
			if got := allocated(t, clone); got > 4<<20 {
				t.Errorf("the clone takes %d bytes: its holes are filled", got)
			}
		})
	}
}

func TestACopyThatDoesNotFitIsRefusedBeforeItStarts(t *testing.T) {
	s := mounted(t, 64<<20, "mkfs.ext4", "-q")
	put(t, s, "x_tpl_1.img", bytes.Repeat([]byte{7}, 36<<20), 36<<20)
	started := false
	_, err := s.Clone(t.Context(), disk(t, "x_tpl_1.img"), disk(t, "a.img"), func(Step) { started = true })
	if !fault.Is(err, fault.NoSpace) || !strings.HasPrefix(fault.Sentence(err), "a full copy needs 377") || started {
		t.Errorf("Clone = %v, started %v", err, started)
	}
	wantNames(t, s, "lost+found", "x_tpl_1.img")
}

func TestAFileSystemThatFillsUpInMidCopyIsLeftClean(t *testing.T) {
	s := mounted(t, 0)
	put(t, s, "x_tpl_1.img", bytes.Repeat([]byte{7}, 20<<20), 20<<20)
	var filled bool
	_, err := s.Clone(t.Context(), disk(t, "x_tpl_1.img"), disk(t, "a.img"), func(Step) {
		if !filled {
			filled = true
			fill(t, filepath.Join(s.Dir(), "other"))
		}
	})
	wantFault(t, err, fault.NoSpace, "clone x_tpl_1.img to a.img: no space left on device")
	wantNames(t, s, "other", "x_tpl_1.img")
}

// fill writes until the file system is full.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for block := make([]byte, 1<<20); ; {
		if _, err := f.Write(block); err != nil {
			return
		}
	}
}

func TestACancelledCopyLeavesNothing(t *testing.T) {
	s := mounted(t, 128<<20, "mkfs.ext4", "-q")
	put(t, s, "x_tpl_1.img", bytes.Repeat([]byte{7}, 16<<20), 16<<20)
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	_, err := s.Clone(ctx, disk(t, "x_tpl_1.img"), disk(t, "a.img"), func(Step) {
		if steps++; steps == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || steps != 3 {
		t.Errorf("Clone = %v after %d steps", err, steps)
	}
	wantNames(t, s, "lost+found", "x_tpl_1.img")
}

func TestACopyLeavesThePageCacheToOthers(t *testing.T) {
	s := mounted(t, 256<<20, "mkfs.ext4", "-q")
	put(t, s, "x_tpl_1.img", bytes.Repeat([]byte{7}, 80<<20), 80<<20)
	if _, err := s.Clone(t.Context(), disk(t, "x_tpl_1.img"), disk(t, "a.img"), nil); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("fincore", "-b", "-n", "-o", "RES", filepath.Join(s.Dir(), "a.img")).Output()
	if err != nil {
		t.Fatalf("fincore (Debian package util-linux): %v", err)
	}
	if resident, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64); err != nil || resident > 4<<20 {
		t.Errorf("%d bytes of the copy stay in the page cache, %v", resident, err)
	}
}

func TestADiskLargerThanTheFileSystemAllowsIsRefused(t *testing.T) {
	s := mounted(t, 64<<20, "mkfs.ext4", "-q")
	wantFault(t, s.Blank(t.Context(), disk(t, "a.img"), 64<<40), fault.Invalid, "create a.img: file too large")
	wantNames(t, s, "lost+found")
}
