package atomicfile

import (
	"bytes"
	"os"
	"regexp"
	"testing"
)

var readableLine = regexp.MustCompile(`^(#.*|(([0-9a-f]{2}:){5}[0-9a-f]{2},)?[a-z0-9,-]+)?$`)

func readable(line []byte) bool { return readableLine.Match(bytes.TrimSuffix(line, []byte("\n"))) }

// TestWhatAPersonAddedBehindATornRewriteIsTold cuts each rewrite at every byte.
func TestWhatAPersonAddedBehindATornRewriteIsTold(t *testing.T) {
	for _, p := range pairs() {
		j := newJournal([]byte(p.old), []byte(p.new))
		for _, added := range []string{"# mine\n", "52:54:00:aa:aa:aa,mine\n", "aa:bb:cc:00:00:00,mine\n# mine\n"} {
			for i, mix := range torn(p) {
				if i > len(p.new) && len(mix) != len(p.new) {
					continue // of a mix of sectors nobody knows where it ends unless it has its full size
				}
				whole := string(mix) == p.old || string(mix) == p.new
				got, ok := j.behind(append(bytes.Clone(mix), added...), readable)
				switch {
				case ok && whole || ok && string(got) != added:
					t.Fatalf("%s, mix %d: %q is taken for added", p.name, i, got)
				case !ok && !whole && !bytes.HasPrefix(mix, []byte(p.old)):
					t.Fatalf("%s, mix %d is left as it is, and lines that stood are lost", p.name, i)
				}
			}
		}
	}
}

func TestAnAddedLineThatBeginsLikeOursIsThePersonsOwn(t *testing.T) {
	const old = "52:54:00:00:00:01,pc-01\n"
	const first, second = "52:54:00:00:00:02,pc-02\n", "52:54:00:00:00:03,pc-03\n"
	const mine = "52:54:00:00:00:77,mine\n"
	record := newJournal([]byte(old), []byte(old+first+second)).encode()
	for name, c := range map[string]struct {
		found, want string
		outcome     Outcome
	}{
		"before the write began":     {old + mine, old + mine, EditKept},
		"behind a whole line":        {old + first + mine, old + first + second + mine, Joined},
		"behind a part of the first": {old + first[:9] + mine, old + first + second + mine, Joined},
		"behind a part, by editor":   {old + first[:9] + "\n" + mine, old + first + second + mine, Joined},
		"behind a part of the last":  {old + first + second[:20] + mine, old + first + second + mine, Joined},
		"behind all":                 {old + first + second + mine, old + first + second + mine, EditKept},
		"and an edit in the middle":  {"# x\n" + old + first[:9] + mine, "# x\n" + old + first[:9] + mine, EditKept},
	} {
		path, journal := pair{old: c.found}.files(t)
		if err := os.WriteFile(journal, record, 0o600); err != nil {
			t.Fatal(err)
		}
		if o, err := Recover(path, journal, readable); err != nil || o != c.outcome || content(t, path) != c.want {
			t.Errorf("%s: %s, %v:\n%s", name, o, err, content(t, path))
		}
	}
}

func TestABehindThatIsCutOffItselfIsFinishedToo(t *testing.T) {
	p := pairs()[2]
	const added = "# mine\n"
	found := []byte(p.new[:len(p.old)+100] + added)
	whole := []byte(p.new + added)
	for k := range len(whole) {
		mix := append([]byte(nil), whole[:k]...)
		if k < len(found) {
			mix = append(mix, found[k:]...)
		}
		if v := newJournal(found, whole).judge(mix); v == isOther {
			t.Fatalf("cut at %d it is taken for somebody else's", k)
		}
	}
}
