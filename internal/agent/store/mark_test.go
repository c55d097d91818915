package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/fault"
)

// marked is a store with a record beside its folder. Its folder may be taken
// away, as an unmount does, and put back.
type marked struct {
	*Store
	record string
}

func newMarked(t *testing.T) marked {
	t.Helper()
	root := t.TempDir()
	m := marked{record: filepath.Join(root, "record.json")}
	m.Store = m.restart(t, filepath.Join(root, "images"))
	if err := os.Mkdir(m.Dir(), 0o700); err != nil {
		t.Fatal(err)
	}
	return m
}

// workedMarked holds one image.
func workedMarked(t *testing.T) marked {
	t.Helper()
	m := newMarked(t)
	putOne(t, m.Store)
	return m
}

// restart is what the next start of the agent sees.
func (m marked) restart(t *testing.T, dir string) *Store {
	t.Helper()
	return New(Options{Dir: dir, Record: m.record})
}

// unmount leaves an empty folder in the place of the one with the images, which
// is kept with the suffix as.
func (m marked) unmount(t *testing.T, as string) {
	t.Helper()
	if err := errors.Join(os.Rename(m.Dir(), m.Dir()+as), os.Mkdir(m.Dir(), 0o700)); err != nil {
		t.Fatal(err)
	}
}

func (m marked) mount(t *testing.T) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(m.Dir()), os.Rename(m.Dir()+".away", m.Dir())); err != nil {
		t.Fatal(err)
	}
}

func (m marked) unmountedSentence() string {
	return "image folder " + m.Dir() + " held images and now lacks its mark .ipxe-agent.id: is its file system mounted? " +
		"If it is to begin anew, put an empty file of that name there"
}

// wantNothing is that not even a lock was put into the folder.
func wantNothing(t *testing.T, s *Store) {
	t.Helper()
	if entries, err := os.ReadDir(s.Dir()); err != nil || len(entries) != 0 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

func wantImages(t *testing.T, s *Store, want int) {
	t.Helper()
	images, err := s.Images()
	if err != nil || len(images) != want {
		t.Errorf("images %v, %v; want %d", images, err, want)
	}
}

func TestAFolderIsMarkedWhenItFirstHoldsAnImage(t *testing.T) {
	m := newMarked(t)
	wantImages(t, m.Store, 0)
	wantNames(t, m.Store)
	if err := m.Blank(t.Context(), disk(t, "a.img"), 1<<20); err != nil {
		t.Fatal(err)
	}
	wantNames(t, m.Store, ".ipxe-agent.id", "a.img")
	mark, err := os.ReadFile(filepath.Join(m.Dir(), ".ipxe-agent.id"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(m.record)
	want := `{"schema":1,"folders":{"` + m.Dir() + `":"` + strings.TrimSpace(string(mark)) + `"}}` + "\n"
	if err != nil || string(text) != want {
		t.Errorf("record %s, %v; want %s", text, err, want)
	}
}

func TestAnEmptyFolderThatHeldImagesCountsAsNotMounted(t *testing.T) {
	m := workedMarked(t)
	m.unmount(t, ".away")
	for _, s := range []*Store{m.Store, m.restart(t, m.Dir())} {
		_, err := s.Images()
		wantFault(t, err, fault.Unavailable, m.unmountedSentence())
		wantFault(t, s.Blank(t.Context(), disk(t, "b.img"), 1<<20), fault.Unavailable, m.unmountedSentence())
		wantFault(t, s.Remove(disk(t, "a.img")), fault.Unavailable, m.unmountedSentence())
		wantFault(t, s.Writable(), fault.Unavailable, m.unmountedSentence())
		wantNothing(t, s)
	}
	m.mount(t)
	wantImages(t, m.Store, 1)
	if err := m.Writable(); err != nil {
		t.Error(err)
	}
}

func TestAFolderBeginsAnewWhereAPersonSaysSo(t *testing.T) {
	m := workedMarked(t)
	m.unmount(t, ".away")
	put(t, m.Store, ".ipxe-agent.id", nil, 0)
	s := m.restart(t, m.Dir())
	wantImages(t, s, 0)
	put(t, s, "b.img", nil, 512)
	wantImages(t, s, 1)
	m.unmount(t, ".second")
	_, err := m.restart(t, m.Dir()).Images()
	wantFault(t, err, fault.Unavailable, m.unmountedSentence())
}

func TestAFolderFromAnotherNodeIsTakenAsItIs(t *testing.T) {
	m := workedMarked(t)
	m.Close()
	other := filepath.Join(filepath.Dir(m.Dir()), "elsewhere")
	if err := os.Rename(m.Dir(), other); err != nil {
		t.Fatal(err)
	}
	s := New(Options{Dir: other, Record: m.record + ".other"})
	wantImages(t, s, 1)
	if text, err := os.ReadFile(m.record + ".other"); err != nil || !strings.Contains(string(text), other) {
		t.Errorf("record %s, %v", text, err)
	}
}

func TestAMarkThatWasRemovedByHandIsMadeAgain(t *testing.T) {
	m := workedMarked(t)
	before, _ := os.ReadFile(m.record)
	if err := os.Remove(filepath.Join(m.Dir(), ".ipxe-agent.id")); err != nil {
		t.Fatal(err)
	}
	wantImages(t, m.Store, 1)
	wantNames(t, m.Store, ".ipxe-agent.id", "a.img")
	if after, err := os.ReadFile(m.record); err != nil || string(after) != string(before) {
		t.Errorf("record %s, %v; was %s", after, err, before)
	}
}

func TestARecordThatCannotBeReadOrKeptIsTold(t *testing.T) {
	m := newMarked(t)
	if err := os.WriteFile(m.record, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantFault(t, m.Writable(), fault.Unavailable, m.record+" is broken, mend or remove it: unexpected end of JSON input")
	if err := os.WriteFile(m.record, []byte(`{"schema":2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	wantFault(t, m.Writable(), fault.Unavailable, m.record+" has schema 2, this agent reads 1")

	s := New(Options{Dir: m.Dir(), Record: filepath.Join(filepath.Dir(m.record), "gone", "record.json")})
	put(t, s, "a.img", nil, 512)
	wantImages(t, s, 1) // what is there is served all the same
	want := "what is known of the image folder cannot be kept in " + s.o.Record + ": no such file or directory"
	wantFault(t, s.Writable(), fault.Unavailable, want)
	wantFault(t, s.Blank(t.Context(), disk(t, "b.img"), 1<<20), fault.Unavailable, want)
}

func TestAMarkThatCouldNotBeKeptOnceIsTriedAgain(t *testing.T) {
	m := newMarked(t)
	beside := filepath.Join(filepath.Dir(m.record), "gone")
	s := New(Options{Dir: m.Dir(), Record: filepath.Join(beside, "record.json")})
	put(t, s, "a.img", nil, 512)
	wantImages(t, s, 1)
	if s.Writable() == nil {
		t.Fatal("it does not tell that the mark is not kept")
	}
	if err := os.Mkdir(beside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.Writable(); err != nil {
		t.Errorf("all is well again, and it says %v", err)
	}
}

func TestADiskMadeInAFolderThatWentAwayMeanwhileIsRefused(t *testing.T) {
	m := newMarked(t)
	err := cloneOf(t, m.Store, func() { m.unmount(t, ".away") })
	wantFault(t, err, fault.Unavailable, m.unmountedSentence())
	m.mount(t)
	wantNames(t, m.Store, ".ipxe-agent.id", "x_tpl_1.img")
}

func TestAMarkedFolderIsServedWhateverBecameOfTheRecord(t *testing.T) {
	m := workedMarked(t)
	if err := os.WriteFile(m.record, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.Close()
	wantImages(t, m.restart(t, m.Dir()), 1)
}

func TestAPipeInPlaceOfAHiddenFileHoldsNobody(t *testing.T) {
	m := newMarked(t)
	put(t, m.Store, "a.img", nil, 512)
	for _, name := range []string{".ipxe-agent.id", ".ipxe-agent.json"} {
		if err := syscall.Mkfifo(filepath.Join(m.Dir(), name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wantFault(t, m.Writable(), fault.Unavailable, "image folder "+m.Dir()+" cannot be read: .ipxe-agent.id is a named pipe, not a regular file")
	if err := os.Remove(filepath.Join(m.Dir(), ".ipxe-agent.id")); err != nil {
		t.Fatal(err)
	}
	_, _, err := m.Notes()
	wantFault(t, err, fault.Conflict, ".ipxe-agent.json is a named pipe, not a regular file")
}
