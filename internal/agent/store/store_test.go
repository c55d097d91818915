package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
)

func folder(t *testing.T, o Options) *Store {
	t.Helper()
	o.Dir = t.TempDir()
	s := New(o)
	if _, err := s.Attach(); err != nil {
		t.Fatal(err)
	}
	return s
}

func put(t *testing.T, s *Store, name string, content []byte, size int64) {
	t.Helper()
	path := filepath.Join(s.Dir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

// putOne puts one image into the folder, which s finds.
func putOne(t *testing.T, s *Store) {
	t.Helper()
	put(t, s, "a.img", nil, 1<<20)
	wantImages(t, s, 1)
}

// cloneOf makes b.img of a master that it brings, and calls once in the end, when
// all is copied and nothing has its name yet.
func cloneOf(t *testing.T, s *Store, once func()) error {
	t.Helper()
	put(t, s, "x_tpl_1.img", []byte("data"), 1<<20)
	done := false
	_, err := s.Clone(t.Context(), disk(t, "x_tpl_1.img"), disk(t, "b.img"), func(p Step) {
		if !done && p.Total > 0 && p.Done == p.Total {
			done = true
			once()
		}
	})
	return err
}

func disk(t *testing.T, s string) image.Name {
	t.Helper()
	n, err := image.ParseDisk(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// names are all files of the folder, hidden ones too, but its lock.
func names(t *testing.T, s *Store) []string {
	t.Helper()
	entries, err := os.ReadDir(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		if e.Name() != LockFile {
			list = append(list, e.Name())
		}
	}
	return list
}

func wantNames(t *testing.T, s *Store, want ...string) {
	t.Helper()
	if got := names(t, s); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
}

func wantFault(t *testing.T, err error, kind fault.Kind, sentence string) {
	t.Helper()
	if !fault.Is(err, kind) || fault.Sentence(err) != sentence {
		t.Errorf("error %v (%s), want %s: %s", err, fault.CodeOf(err), kind.Code(), sentence)
	}
}

func TestABlankDiskIsSparseAndHasItsSize(t *testing.T) {
	s := folder(t, Options{})
	if err := s.Blank(t.Context(), disk(t, "a.img"), 8<<30); err != nil {
		t.Fatal(err)
	}
	i, err := s.Stat(disk(t, "a.img"))
	if err != nil || i.Size != 8<<30 {
		t.Errorf("Stat = %+v, %v", i, err)
	}
	wantNames(t, s, "a.img")
}

func TestAFileIsNeverOverwritten(t *testing.T) {
	s := folder(t, Options{})
	put(t, s, "x_tpl_1.img", []byte("master"), 1<<20)
	put(t, s, "a.img", []byte("mine"), 4)
	wantFault(t, s.Blank(t.Context(), disk(t, "a.img"), 1<<20), fault.Exists, "file a.img already exists")
	_, err := s.Clone(t.Context(), disk(t, "x_tpl_1.img"), disk(t, "a.img"), nil)
	wantFault(t, err, fault.Exists, "file a.img already exists")
	if got, _ := os.ReadFile(filepath.Join(s.Dir(), "a.img")); string(got) != "mine" {
		t.Errorf("a.img holds %q", got)
	}
	wantNames(t, s, "a.img", "x_tpl_1.img")
}

func TestOfTwoWhoMakeOneFileOneWins(t *testing.T) {
	s := folder(t, Options{})
	var won, lost int
	var mu sync.Mutex
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			err := s.Blank(t.Context(), disk(t, "a.img"), 1<<20)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				won++
			case fault.Is(err, fault.Exists):
				lost++
			default:
				t.Error(err)
			}
		})
	}
	group.Wait()
	if won != 1 || lost != 7 {
		t.Errorf("%d won, %d lost", won, lost)
	}
	wantNames(t, s, "a.img")
}

func TestMastersAreNeitherMadeNorDeleted(t *testing.T) {
	s := folder(t, Options{})
	put(t, s, "x_tpl_1.img", nil, 1<<20)
	wantFault(t, s.Remove(disk(t, "x_tpl_1.img")), fault.Conflict, "x_tpl_1.img is a master: masters are never deleted")
	wantFault(t, s.Blank(t.Context(), disk(t, "y_tpl_1.img"), 1<<20), fault.Conflict,
		"y_tpl_1.img carries _tpl_: masters are never overwritten or made here")
	wantNames(t, s, "x_tpl_1.img")
}

func TestLeftOversAreRemovedWhenTheFolderIsOpened(t *testing.T) {
	s := New(Options{Dir: t.TempDir()})
	put(t, s, ".ipxe-tmp-XYZ", []byte("half"), 4)
	put(t, s, ".hidden", nil, 0)
	put(t, s, "a.img", nil, 512)
	if _, err := s.Attach(); err != nil {
		t.Fatal(err)
	}
	wantNames(t, s, ".hidden", "a.img")
}

func TestOnlyRegularFilesWithImageNamesAreListed(t *testing.T) {
	s := folder(t, Options{})
	outside := filepath.Join(t.TempDir(), "outside.img")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	put(t, s, "a.img", nil, 512)
	put(t, s, "b.iso", nil, 2048)
	put(t, s, "odd name.img", nil, 512)
	put(t, s, "UPPER.ISO", nil, 2048)
	put(t, s, "readme.txt", nil, 1)
	put(t, s, ".hidden.img", nil, 512)
	if err := errors.Join(
		os.Symlink(outside, filepath.Join(s.Dir(), "link_tpl_.img")),
		os.Symlink("a.img", filepath.Join(s.Dir(), "inner.img")),
		os.Mkdir(filepath.Join(s.Dir(), "dir.img"), 0o700),
	); err != nil {
		t.Fatal(err)
	}
	images, err := s.Images()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range images {
		row := i.File
		if i.Fault != nil {
			row += "!"
		}
		got = append(got, row)
	}
	if want := "UPPER.ISO! a.img b.iso dir.img! inner.img! link_tpl_.img! odd name.img!"; strings.Join(got, " ") != want {
		t.Errorf("listed %q, want %q", got, want)
	}
	for _, name := range []string{"link_tpl_.img", "inner.img", "dir.img"} {
		_, err := s.Stat(disk(t, name))
		wantFault(t, err, fault.NotFound, name+" in the image folder is no regular file")
	}
	_, err = s.Clone(t.Context(), disk(t, "link_tpl_.img"), disk(t, "stolen.img"), nil)
	wantFault(t, err, fault.NotFound, "master link_tpl_.img not found in the image folder")
}

func TestACloneHasTheMastersBytesAndTellsItsProgress(t *testing.T) {
	s := folder(t, Options{})
	content := bytes.Repeat([]byte("0123456789abcdef"), 300<<10/16)
	put(t, s, "x_tpl_1.img", content, 5<<20)
	var last, total int64
	c, err := s.Clone(t.Context(), disk(t, "x_tpl_1.img"), disk(t, "a.img"), func(p Step) {
		if p.Done < last || p.Waiting {
			t.Errorf("progress fell from %d to %+v", last, p)
		}
		last, total = p.Done, p.Total
	})
	if err != nil || c.Bytes != 5<<20 || c.Way != WayCopy && c.Way != WayReflink {
		t.Fatalf("Clone = %+v, %v", c, err)
	}
	if last != total || c.Way == WayReflink && total != 5<<20 || c.Way == WayCopy && (total < 300<<10 || total > 1<<20) {
		t.Errorf("progress of a %s ended at %d of %d", c.Way, last, total)
	}
	want, _ := os.ReadFile(filepath.Join(s.Dir(), "x_tpl_1.img"))
	got, err := os.ReadFile(filepath.Join(s.Dir(), "a.img"))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("the clone differs, %v", err)
	}
	wantNames(t, s, "a.img", "x_tpl_1.img")
}

func TestAMissingMasterIsNotFound(t *testing.T) {
	s := folder(t, Options{})
	_, err := s.Clone(t.Context(), disk(t, "x_tpl_1.img"), disk(t, "a.img"), nil)
	wantFault(t, err, fault.NotFound, "master x_tpl_1.img not found in the image folder")
	wantNames(t, s)
}

func TestACancelledCloneLeavesNothing(t *testing.T) {
	s := folder(t, Options{})
	put(t, s, "x_tpl_1.img", bytes.Repeat([]byte{7}, 4<<20), 4<<20)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.Clone(ctx, disk(t, "x_tpl_1.img"), disk(t, "a.img"), func(Step) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Clone = %v", err)
	}
	wantNames(t, s, "x_tpl_1.img")
}

func TestAMasterThatChangesWhileItIsClonedIsNotServed(t *testing.T) {
	s := folder(t, Options{})
	put(t, s, "x_tpl_1.img", bytes.Repeat([]byte{7}, 4<<20), 4<<20)
	_, err := s.Clone(t.Context(), disk(t, "x_tpl_1.img"), disk(t, "a.img"), func(Step) {
		put(t, s, "x_tpl_1.img", nil, 8<<20)
	})
	wantFault(t, err, fault.Conflict, "master x_tpl_1.img was changed while it was cloned")
	wantNames(t, s, "x_tpl_1.img")
}

func TestAMissingFolderIsSaidAndNeverMade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "images")
	s := New(Options{Dir: dir})
	want := "image folder " + dir + " is missing"
	_, err := s.Attach()
	wantFault(t, err, fault.Unavailable, want)
	_, err = s.Images()
	wantFault(t, err, fault.Unavailable, want)
	wantFault(t, s.Blank(t.Context(), disk(t, "a.img"), 1<<20), fault.Unavailable, want)
	wantFault(t, s.Writable(), fault.Unavailable, want)
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("the folder was made")
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if opened, err := s.Attach(); opened != 1 || err != nil {
		t.Errorf("Attach = %v, %v", opened, err)
	}
}

func TestAnotherFolderInItsPlaceIsNoticed(t *testing.T) {
	s := folder(t, Options{})
	put(t, s, "old.img", nil, 512)
	if opened, err := s.Attach(); opened != 1 || err != nil {
		t.Fatalf("Attach = %v, %v", opened, err)
	}
	if err := errors.Join(os.Rename(s.Dir(), s.Dir()+".away"), os.Mkdir(s.Dir(), 0o700)); err != nil {
		t.Fatal(err)
	}
	if opened, err := s.Attach(); opened != 2 || err != nil {
		t.Fatalf("Attach = %v, %v", opened, err)
	}
	if images, err := s.Images(); err != nil || len(images) != 0 {
		t.Errorf("Images = %v, %v", images, err)
	}
}

func TestMastersAreListedFromACacheThatIsRenewed(t *testing.T) {
	s := folder(t, Options{})
	put(t, s, "b_tpl_1.img", nil, 1024)
	put(t, s, "a.img", nil, 512)
	put(t, s, "cd_tpl_1.iso", nil, 2048)
	list := func() string {
		masters, err := s.Masters()
		if err != nil {
			t.Fatal(err)
		}
		var files []string
		for _, m := range masters {
			files = append(files, m.File)
		}
		return strings.Join(files, " ")
	}
	if got := list(); got != "b_tpl_1.img" {
		t.Errorf("masters %q", got)
	}
	put(t, s, "a_tpl_2.img", nil, 512)
	if got := list(); got != "b_tpl_1.img" {
		t.Errorf("masters %q, want those of the cache", got)
	}
	if _, err := s.RefreshMasters(); err != nil {
		t.Fatal(err)
	}
	if got := list(); got != "a_tpl_2.img b_tpl_1.img" {
		t.Errorf("masters %q", got)
	}
}
