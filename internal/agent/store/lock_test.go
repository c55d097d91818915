package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/fault"
)

// worked is a folder with one image, in which an agent works.
func worked(t *testing.T) *Store {
	t.Helper()
	s := folder(t, Options{})
	putOne(t, s)
	return s
}

// heldSentence is what a second agent says of a folder, by the path that it has.
func heldSentence(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, ".ipxe-agent.lock")
	stamp, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(stamp), fmt.Sprintf("%d on ", os.Getpid())) {
		t.Fatalf("the lock says %q, %v", stamp, err)
	}
	return "another storage agent, process " + strings.TrimSpace(string(stamp)) + ", holds " + path + "; two must not write the same images"
}

func TestASecondAgentTouchesNothingInAFolderThatAnotherWorksIn(t *testing.T) {
	first := worked(t)
	put(t, first, "x_tpl_1.img", []byte("data"), 1<<20)
	put(t, first, ".ipxe-tmp-copy", nil, 512) // what the first one is making
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(first.Dir(), link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{first.Dir(), link} {
		second, sentence := New(Options{Dir: dir}), heldSentence(t, dir)
		_, err := second.Attach()
		wantFault(t, err, fault.Unavailable, sentence)
		_, err = second.Images()
		wantFault(t, err, fault.Unavailable, sentence)
		_, err = second.Clone(t.Context(), disk(t, "x_tpl_1.img"), disk(t, "b.img"), nil)
		wantFault(t, err, fault.Unavailable, sentence)
		wantFault(t, second.Blank(t.Context(), disk(t, "b.img"), 1<<20), fault.Unavailable, sentence)
		wantFault(t, second.Remove(disk(t, "a.img")), fault.Unavailable, sentence)
		wantFault(t, second.Note(iqn(t, "a"), disk(t, "a.img")), fault.Unavailable, sentence)
		wantFault(t, second.Writable(), fault.Unavailable, sentence)
	}
	wantNames(t, first, ".ipxe-tmp-copy", "a.img", "x_tpl_1.img")
	if err := first.Writable(); err != nil {
		t.Errorf("the first one says %v", err)
	}

	next := New(Options{Dir: link})
	first.Close()
	wantImages(t, next, 2)
	wantFault(t, first.Writable(), fault.Unavailable, "the agent is stopping")
	wantNames(t, next, "a.img", "x_tpl_1.img")
}

func TestTheLockIsNoImageAndNothingIsPromisedForIt(t *testing.T) {
	s := worked(t)
	if err := s.Remove(disk(t, "a.img")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(s.Dir(), ".ipxe-agent.lock")); err != nil {
		t.Fatal(err)
	}
	wantImages(t, s, 0)
	if file, ok := s.Holds(filepath.Join(s.Dir(), ".ipxe-agent.lock")); ok {
		t.Errorf("a target may serve %s", file)
	}
	if sum, err := s.promised(s.root); err != nil || sum != 0 {
		t.Errorf("%d bytes are promised, %v", sum, err)
	}
}

func TestALockFileThatWasRemovedIsMadeAnew(t *testing.T) {
	first := worked(t)
	if err := os.Remove(filepath.Join(first.Dir(), ".ipxe-agent.lock")); err != nil {
		t.Fatal(err)
	}
	wantImages(t, first, 1)
	_, err := New(Options{Dir: first.Dir()}).Images()
	wantFault(t, err, fault.Unavailable, heldSentence(t, first.Dir()))
}

func TestAnAgentThatLostItsFolderMakesNothingMoreAndMayHaveItAgain(t *testing.T) {
	first := worked(t)
	other := New(Options{Dir: first.Dir()})
	err := cloneOf(t, first, func() {
		if err := os.Remove(filepath.Join(first.Dir(), ".ipxe-agent.lock")); err != nil {
			t.Error(err)
		}
		wantImages(t, other, 2) // it came before the first one looked again
	})
	sentence := heldSentence(t, first.Dir())
	wantFault(t, err, fault.Unavailable, sentence)
	wantFault(t, first.Remove(disk(t, "a.img")), fault.Unavailable, sentence)
	wantFault(t, first.Blank(t.Context(), disk(t, "b.img"), 1<<20), fault.Unavailable, sentence)
	wantNames(t, first, "a.img", "x_tpl_1.img")

	before := first.opened
	other.Close()
	opened, err := first.Attach()
	if err != nil || opened == before {
		t.Errorf("Attach = %d, %v; what it knew of the folder before counts no more", opened, err)
	}
	if err := first.Blank(t.Context(), disk(t, "b.img"), 1<<20); err != nil {
		t.Error(err)
	}
}

// TestASmallFileIsNotPutOverThatOfAnAgentThatHasTheFolderByNow: its flush may
// have taken long.
func TestASmallFileIsNotPutOverThatOfAnAgentThatHasTheFolderByNow(t *testing.T) {
	first := worked(t)
	root, err := first.open()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(first.Dir(), ".ipxe-agent.lock")); err != nil {
		t.Fatal(err)
	}
	other := New(Options{Dir: first.Dir()})
	if err := other.Note(iqn(t, "others"), disk(t, "a.img")); err != nil {
		t.Fatal(err)
	}
	wantFault(t, first.replaceHidden(root, notesFile, []byte("{}\n")), fault.Unavailable, heldSentence(t, first.Dir()))
	wantNotes(t, other, map[string]string{"others": "a.img"})
	wantNames(t, other, ".ipxe-agent.json", "a.img")
}

func TestAFolderThatWasReplacedIsLockedAnewAndTheOldOneIsFree(t *testing.T) {
	m := workedMarked(t)
	m.unmount(t, ".away")
	put(t, m.Store, ".ipxe-agent.id", nil, 0) // it begins anew
	wantImages(t, m.Store, 0)
	_, err := New(Options{Dir: m.Dir()}).Images()
	wantFault(t, err, fault.Unavailable, heldSentence(t, m.Dir()))
	wantImages(t, New(Options{Dir: m.Dir() + ".away"}), 1)
}

// An empty folder may be a place where nothing is mounted yet.
func TestAnEmptyFolderIsLockedWithTheFirstThingInIt(t *testing.T) {
	for name, begin := range map[string]func(s *Store) error{
		"a disk is made": func(s *Store) error { return s.Blank(t.Context(), disk(t, "a.img"), 1<<20) },
		"a note is kept": func(s *Store) error { return s.Note(iqn(t, "a"), disk(t, "a.img")) },
		"a file is brought": func(s *Store) error {
			_, err := s.Images()
			return errors.Join(os.WriteFile(filepath.Join(s.Dir(), "a.img"), nil, 0o600), err, s.Writable())
		},
	} {
		t.Run(name, func(t *testing.T) {
			first := folder(t, Options{})
			second := New(Options{Dir: first.Dir()})
			for _, s := range []*Store{first, second} {
				if err := errors.Join(s.Writable(), s.Unlocked()); err != nil {
					t.Fatal(err)
				}
			}
			wantNothing(t, first)
			if err := begin(first); err != nil {
				t.Fatal(err)
			}
			sentence := heldSentence(t, first.Dir())
			wantFault(t, second.Blank(t.Context(), disk(t, "b.img"), 1<<20), fault.Unavailable, sentence)
			wantFault(t, second.Remove(disk(t, "a.img")), fault.Unavailable, sentence)
			_, err := second.Images()
			wantFault(t, err, fault.Unavailable, sentence)
		})
	}
}

func TestOfTwoAgentsThatBeginInAnEmptyFolderAtOnceOneDoes(t *testing.T) {
	for range 50 {
		first := folder(t, Options{})
		second := New(Options{Dir: first.Dir()})
		if _, err := second.Attach(); err != nil {
			t.Fatal(err)
		}
		made := make(chan error, 2)
		for i, s := range []*Store{first, second} {
			go func() { made <- s.Blank(t.Context(), disk(t, string(rune('a'+i))+".img"), 1<<20) }()
		}
		e1, e2 := <-made, <-made
		if (e1 == nil) == (e2 == nil) || !fault.Is(errors.Join(e1, e2), fault.Unavailable) {
			t.Errorf("they say %v and %v", e1, e2)
		}
		wantNames(t, first, map[bool]string{true: "a.img", false: "b.img"}[strings.Contains(strings.Join(names(t, first), " "), "a.img")])
	}
}

func TestALockThatCannotBeMadeIsToldAndTheImagesAreServed(t *testing.T) {
	for name, c := range map[string]struct {
		put func(path string) error
		why string
	}{
		"a folder": {func(path string) error { return os.Mkdir(path, 0o700) }, ".ipxe-agent.lock is a folder, not a regular file"},
		"a pipe":   {func(path string) error { return syscall.Mkfifo(path, 0o600) }, ".ipxe-agent.lock is a named pipe, not a regular file"},
		"a link to an image": {func(path string) error { return os.Symlink("a.img", path) },
			".ipxe-agent.lock is a symbolic link, not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(Options{Dir: t.TempDir()})
			put(t, s, "a.img", []byte("the image"), 512)
			path := filepath.Join(s.Dir(), ".ipxe-agent.lock")
			if err := c.put(path); err != nil {
				t.Fatal(err)
			}
			wantImages(t, s, 1)
			if err := s.Blank(t.Context(), disk(t, "b.img"), 1<<20); err != nil {
				t.Error(err)
			}
			wantFault(t, s.Unlocked(), fault.Unavailable, "no other agent is kept off image folder "+s.Dir()+": "+c.why)
			if text, err := os.ReadFile(filepath.Join(s.Dir(), "a.img")); err != nil || !strings.HasPrefix(string(text), "the image\x00") {
				t.Errorf("the image holds %.20q, %v", text, err)
			}

			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			wantImages(t, s, 2)
			if err := s.Unlocked(); err != nil {
				t.Errorf("it is locked by now, and says %v", err)
			}
			_, err := New(Options{Dir: s.Dir()}).Images()
			wantFault(t, err, fault.Unavailable, heldSentence(t, s.Dir()))
		})
	}
}

func TestAnInspectionTellsWhoWorksInAFolderAndKeepsNobodyOff(t *testing.T) {
	s := worked(t)
	stamp, err := os.ReadFile(filepath.Join(s.Dir(), ".ipxe-agent.lock"))
	if err != nil {
		t.Fatal(err)
	}
	other := New(Options{Dir: s.Dir()})
	if in := other.Inspect(); in.Folder != nil || in.Holder+"\n" != string(stamp) {
		t.Errorf("it says %q, %v; the lock says %q", in.Holder, in.Folder, stamp)
	}
	if err := s.Writable(); err != nil {
		t.Errorf("the one that works says %v", err)
	}
	s.Close()
	if in := other.Inspect(); in.Holder != "" {
		t.Errorf("it says %q of one that ended", in.Holder)
	}
	if err := errors.Join(other.Writable(), other.Unlocked()); err != nil {
		t.Error(err)
	}
}
