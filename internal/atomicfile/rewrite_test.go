package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// pair is a file before and after a rewrite.
type pair struct{ name, old, new string }

func pairs() []pair {
	line := func(n int) string { return strings.Repeat("52:54:00:12:34:56,worker-01\n", n) }
	long := line(100)
	return []pair{
		{"first line", "", line(1)},
		{"a line more", long, long + "aa:bb:cc:dd:ee:ff,worker-02\n"},
		{"many lines more", long, long + strings.Repeat("aa:bb:cc:dd:ee:ff,worker-02\n", 80)},
		{"a line less", long + "x,y\n" + line(40), long + line(40)},
		{"same length", long[:1000] + "0" + long[1001:1500] + "7" + long[1501:], long[:1000] + "9" + long[1001:1500] + "8" + long[1501:]},
		{"all other", long, strings.Repeat("aa:bb:cc:dd:ee:ff,worker-02\n", 90)},
		{"emptied", long, ""},
	}
}

func (p pair) files(t *testing.T) (path, journal string) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, "hosts")
	if err := os.WriteFile(path, []byte(p.old), 0o644); err != nil {
		t.Fatal(err)
	}
	return path, filepath.Join(dir, "journal")
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func gone(t *testing.T, journal string) {
	t.Helper()
	if _, err := os.Stat(journal); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the journal still stands")
	}
}

func TestARewriteKeepsTheInode(t *testing.T) {
	for _, p := range pairs() {
		t.Run(p.name, func(t *testing.T) {
			path, journal := p.files(t)
			before, _ := os.Stat(path)
			if _, err := Rewrite(path, journal, []byte(p.old), []byte(p.new)); err != nil {
				t.Fatal(err)
			}
			after, _ := os.Stat(path)
			if before.Sys().(*syscall.Stat_t).Ino != after.Sys().(*syscall.Stat_t).Ino {
				t.Error("another inode")
			}
			if content(t, path) != p.new {
				t.Errorf("content %q", content(t, path))
			}
			gone(t, journal)
		})
	}
}

func TestARewriteOfWhatSomebodyChangedIsRefused(t *testing.T) {
	p := pair{"", "a\n", "b\n"}
	path, journal := p.files(t)
	if _, err := Rewrite(path, journal, []byte("other\n"), []byte(p.new)); !errors.Is(err, ErrChanged) {
		t.Errorf("err = %v", err)
	}
	if content(t, path) != p.old {
		t.Error("it was written all the same")
	}
	gone(t, journal)
}

func TestAnEditWhileTheJournalIsWrittenStopsTheRewrite(t *testing.T) {
	p := pairs()[1]
	path, journal := p.files(t)
	d := osDisk()
	d.syncDir = func(dir string) error {
		if _, err := os.Stat(journal); err == nil {
			if err := os.WriteFile(path, []byte(p.old+"# note\n"), 0o644); err != nil {
				t.Error(err)
			}
		}
		return syncDir(dir)
	}
	if _, err := d.rewrite(path, journal, []byte(p.old), []byte(p.new)); !errors.Is(err, ErrChanged) {
		t.Errorf("err = %v", err)
	}
	if content(t, path) != p.old+"# note\n" {
		t.Errorf("content %q", content(t, path))
	}
	gone(t, journal)
}

// failingOnce fails the first time that a step reaches path itself.
func failingOnce(path, step string) disk {
	d, done := osDisk(), false
	hits := func(f *os.File, name string) bool {
		if done || f.Name() != path || name != step {
			return false
		}
		done = true
		return true
	}
	d.writeAt = func(f *os.File, b []byte, at int64) (int, error) {
		if hits(f, "writeat") {
			n, _ := f.WriteAt(b[:min(7, len(b))], at)
			return n, errStep
		}
		return f.WriteAt(b, at)
	}
	d.truncate = func(f *os.File, size int64) error {
		if hits(f, "truncate") {
			return errStep
		}
		return f.Truncate(size)
	}
	d.sync = func(f *os.File) error {
		if hits(f, "sync") {
			return errStep
		}
		return f.Sync()
	}
	return d
}

func TestARewriteThatFailsPutsTheOldContentBack(t *testing.T) {
	for _, p := range pairs() {
		for _, step := range []string{"writeat", "truncate", "sync"} {
			path, journal := p.files(t)
			d := failingOnce(path, step)
			if _, err := d.rewrite(path, journal, []byte(p.old), []byte(p.new)); !errors.Is(err, errStep) {
				t.Errorf("%s, %s: err = %v", p.name, step, err)
			}
			if content(t, path) != p.old {
				t.Errorf("%s, %s: content %q", p.name, step, content(t, path))
			}
			gone(t, journal)
		}
	}
}

func TestARewriteWithoutAJournalDoesNotBegin(t *testing.T) {
	for _, step := range []string{"create", "write", "sync", "rename"} {
		p := pairs()[1]
		path, journal := p.files(t)
		if _, err := breaking(step).rewrite(path, journal, []byte(p.old), []byte(p.new)); !errors.Is(err, errStep) {
			t.Errorf("%s: err = %v", step, err)
		}
		if content(t, path) != p.old {
			t.Errorf("%s: the file was touched", step)
		}
		gone(t, journal)
	}
}

// torn lists what a crash can leave of p.
func torn(p pair) [][]byte {
	old, new := []byte(p.old), []byte(p.new)
	var out [][]byte
	for k := range len(new) + 1 { // cut in order, at every byte
		cut := append([]byte(nil), new[:k]...)
		if k < len(old) {
			cut = append(cut, old[k:]...)
		}
		out = append(out, cut)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 { // sectors of either, zeros where the file grew
		size := len(old)
		if len(new) > len(old) {
			size += rnd.IntN(len(new) - len(old) + 1)
		}
		mix := make([]byte, size)
		copy(mix, old)
		for at := 0; at < size; at += sector {
			if rnd.IntN(2) == 0 && at < len(new) {
				copy(mix[at:min(at+sector, size)], new[at:])
			}
		}
		out = append(out, mix)
	}
	return out
}

func TestATornMixIsFinishedAtTheNextStart(t *testing.T) {
	for _, p := range pairs() {
		t.Run(p.name, func(t *testing.T) {
			path, journal := p.files(t)
			j := newJournal([]byte(p.old), []byte(p.new))
			record := j.encode()
			for i, mix := range torn(p) {
				if j.judge(mix) == isOther {
					t.Fatalf("mix %d is taken for somebody else's", i)
				}
				if i%31 != 0 {
					continue // each costs the disk a few milliseconds
				}
				if err := errors.Join(os.WriteFile(path, mix, 0o644), os.WriteFile(journal, record, 0o600)); err != nil {
					t.Fatal(err)
				}
				o, err := Recover(path, journal, readable)
				if err != nil {
					t.Fatal(err)
				}
				want, outcome := p.new, Replayed
				switch string(mix) {
				case p.old:
					want, outcome = p.old, NotBegun
				case p.new:
					outcome = Finished
				}
				if got := content(t, path); got != want || o != outcome {
					t.Fatalf("mix %d: %s; %d bytes, want %d and %s", i, o, len(got), len(want), outcome)
				}
				gone(t, journal)
			}
		})
	}
}

func TestAPersonsLaterEditIsNeverOverwritten(t *testing.T) {
	p := pairs()[2]
	path, journal := p.files(t)
	record := newJournal([]byte(p.old), []byte(p.new)).encode()
	for name, edit := range map[string]string{
		"a line in front": "# note\n" + p.new,
		"a line behind":   p.new + "# note\n",
		"one byte":        strings.Replace(p.new, "worker-02", "worker-03", 1),
		"shorter":         p.old[:len(p.old)-5],
		"emptied":         "",
		"in the old part": strings.Replace(p.old, "34:56", "34:57", 1) + "zz\n",
	} {
		if err := errors.Join(os.WriteFile(path, []byte(edit), 0o644), os.WriteFile(journal, record, 0o600)); err != nil {
			t.Fatal(err)
		}
		o, err := Recover(path, journal, readable)
		if err != nil || o != EditKept || content(t, path) != edit {
			t.Errorf("%s: %s, %v", name, o, err)
		}
		gone(t, journal)
	}
}

func TestATornOrMissingJournalChangesNothing(t *testing.T) {
	p := pairs()[1]
	path, journal := p.files(t)
	if o, err := Recover(path, journal, readable); o != Clean || err != nil {
		t.Errorf("no journal: %s, %v", o, err)
	}
	record := newJournal([]byte(p.old), []byte(p.new)).encode()
	flipped := bytes.Clone(record)
	flipped[len(flipped)/2] ^= 1
	for _, bad := range [][]byte{nil, record[:len(record)-1], record[:20], flipped, append(record, 0)} {
		if err := os.WriteFile(journal, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if o, err := Recover(path, journal, readable); o != JournalBad || err != nil || content(t, path) != p.old {
			t.Errorf("%d bytes: %s, %v", len(bad), o, err)
		}
		gone(t, journal)
	}
}

func TestARewriteFirstFinishesOneThatFailed(t *testing.T) {
	p := pairs()[4]
	path, journal := p.files(t)
	mix := p.new[:1100] + p.old[1100:]
	record := newJournal([]byte(p.old), []byte(p.new)).encode()
	if err := errors.Join(os.WriteFile(path, []byte(mix), 0o644), os.WriteFile(journal, record, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := Rewrite(path, journal, []byte(p.new), []byte(p.new+"x\n")); err != nil {
		t.Fatal(err)
	}
	if content(t, path) != p.new+"x\n" {
		t.Error("content is wrong")
	}
}

func TestWhatAFailedRewriteLeftHalfWayIsUndone(t *testing.T) {
	p := pairs()[2]
	for name, c := range map[string]struct {
		content, known, want string
		outcome              Outcome
	}{
		"half-way":                      {p.new[:len(p.old)+40], p.old, p.old, PutBack},
		"whole and not flushed":         {p.new, p.old, p.old, PutBack},
		"not begun":                     {p.old, p.old, p.old, NotBegun},
		"done, and the journal is left": {p.new, p.new, p.new, Finished},
		"edited since":                  {"# mine\n", p.old, "# mine\n", EditKept},
	} {
		path, journal := p.files(t)
		record := newJournal([]byte(p.old), []byte(p.new)).encode()
		if err := errors.Join(os.WriteFile(path, []byte(c.content), 0o644), os.WriteFile(journal, record, 0o600)); err != nil {
			t.Fatal(err)
		}
		if o, err := Undo(path, journal, []byte(c.known)); o != c.outcome || err != nil || content(t, path) != c.want {
			t.Errorf("%s: %s, %v, %d bytes", name, o, err, len(content(t, path)))
		}
		gone(t, journal)
	}
}

func TestARewriteTellsOfTheFileAsItLeftItThoughSomebodyWroteSince(t *testing.T) {
	p := pairs()[1]
	path, journal := p.files(t)
	d := osDisk()
	d.sync = func(f *os.File) error {
		if f.Name() == path {
			if err := os.WriteFile(path, []byte(p.new+"# note\n"), 0o644); err != nil {
				t.Error(err)
			}
		}
		return f.Sync()
	}
	info, err := d.rewrite(path, journal, []byte(p.old), []byte(p.new))
	if err != nil || info.Size() != int64(len(p.new)) {
		t.Errorf("%d bytes, want the %d of ours; %v", info.Size(), len(p.new), err)
	}
	if content(t, path) != p.new+"# note\n" {
		t.Error("the note is lost")
	}
}
