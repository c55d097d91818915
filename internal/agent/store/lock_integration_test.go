//go:build integration

package store

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/fault"
)

func TestAFolderThatIsMountedAtTwoPlacesHasOneAgent(t *testing.T) {
	first, other := worked(t), t.TempDir()
	run(t, "mount", "--bind", first.Dir(), other)
	t.Cleanup(func() { run(t, "umount", "-l", other) })
	second := New(Options{Dir: other})
	_, err := second.Attach()
	wantFault(t, err, fault.Unavailable, heldSentence(t, other))
	first.Close()
	wantImages(t, second, 1)
	second.Close()
}

// reopen is the next start of an agent.
func reopen(t *testing.T, s *Store) {
	t.Helper()
	root := s.root
	s.detach()
	if err := root.Close(); err != nil {
		t.Fatal(err)
	}
}

// fillUp leaves no byte; what is there may still be written over.
func fillUp(t *testing.T, s *Store) {
	t.Helper()
	f, err := os.Create(filepath.Join(s.Dir(), "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, size := range []int{1 << 20, 4096, 1} {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}
}

func TestOnAFullDiskALockThatIsThereIsTaken(t *testing.T) {
	for _, mkfs := range [][]string{{"mkfs.ext4", "-q"}, {"mkfs.xfs", "-q"}, {"mkfs.btrfs", "-q"}, nil} {
		s := mounted(t, 400<<20, mkfs...)
		put(t, s, "a.img", nil, 512)
		wantImages(t, s, 1)
		fillUp(t, s)
		reopen(t, s)
		wantImages(t, s, 1)
		if err := s.Unlocked(); err != nil {
			t.Errorf("%v: %v", mkfs, err)
		}
		if _, err := New(Options{Dir: s.Dir()}).Attach(); fault.CodeOf(err) != "unavailable" {
			t.Errorf("%v: a second agent gets %v", mkfs, err)
		}
	}
}

func TestInAReadOnlyFolderALockThatIsThereIsTakenAndOneThatIsNotIsTold(t *testing.T) {
	s := mounted(t, 64<<20, "mkfs.ext4", "-q")
	put(t, s, "a.img", nil, 512)
	wantImages(t, s, 1)
	run(t, "mount", "-o", "remount,ro", s.Dir())
	reopen(t, s)
	wantImages(t, s, 1)
	if err := s.Unlocked(); err != nil {
		t.Error(err)
	}
	_, err := New(Options{Dir: s.Dir()}).Attach()
	wantFault(t, err, fault.Unavailable, heldSentence(t, s.Dir()))

	run(t, "mount", "-o", "remount,rw", s.Dir())
	reopen(t, s)
	if err := os.Remove(filepath.Join(s.Dir(), ".ipxe-agent.lock")); err != nil {
		t.Fatal(err)
	}
	run(t, "mount", "-o", "remount,ro", s.Dir())
	wantImages(t, s, 1)
	wantFault(t, s.Unlocked(), fault.Unavailable, "no other agent is kept off image folder "+s.Dir()+": .ipxe-agent.lock: read-only file system")
	run(t, "mount", "-o", "remount,rw", s.Dir())
	wantImages(t, s, 1)
	if err := s.Unlocked(); err != nil {
		t.Errorf("it may be made by now, and says %v", err)
	}
}
