package journal

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func open(t *testing.T) (*Journal, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ipxe-agent.jsonl")
	j := Open(path, slog.New(slog.DiscardHandler), time.Now)
	t.Cleanup(func() { _ = j.Close() })
	return j, path
}

func (j *Journal) note(t *testing.T, client string) {
	t.Helper()
	j.Add(t.Context(), Disk, client, struct{}{}, struct{}{}, nil)
	if err := j.Wrong(); err != nil {
		t.Fatal(err)
	}
}

// lines are the ids and clients of a file.
func lines(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		id, rest, _ := strings.Cut(strings.TrimPrefix(line, `{"id":`), ",")
		_, client, _ := strings.Cut(rest, `"client":"`)
		client, _, _ = strings.Cut(client, `"`)
		out = append(out, id+client)
	}
	return strings.Join(out, " ")
}

func TestALogThatIsRotatedByRenameGoesOnInANewFileWithTheNextId(t *testing.T) {
	j, path := open(t)
	j.note(t, "a")
	j.note(t, "b")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	j.note(t, "c")
	if got, want := lines(t, path+".1")+" | "+lines(t, path), "1a 2b | 3c"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	page, err := j.Read(2, 10)
	if err != nil || len(page.Entries) != 1 || page.NextCursor != 3 {
		t.Fatalf("whoever had read up to 2 gets %v, %v", page, err)
	}
}

func TestALogThatIsCopiedAndCutGoesOnWithTheNextId(t *testing.T) {
	j, path := open(t)
	j.note(t, "a")
	j.note(t, "b")
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	j.note(t, "c")
	if got := lines(t, path); got != "3c" {
		t.Fatalf("got %s", got)
	}
}

func TestWhileTheLogIsRotatedNoEntryIsLost(t *testing.T) {
	j, path := open(t)
	const each, writers = 50, 4
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := range each {
				j.note(t, fmt.Sprintf("w%dn%d", w, n))
				if _, err := j.Read(0, 10); err != nil {
					t.Error(err)
				}
			}
		})
	}
	rotations := 0
	ended := make(chan struct{})
	go func() { wg.Wait(); close(ended) }()
	for done := false; !done; {
		select {
		case <-ended:
			done = true
		default:
		}
		if os.Rename(path, fmt.Sprintf("%s.%d", path, rotations+1)) == nil {
			rotations++
		}
	}
	seen := map[string]int{}
	for n := 1; n <= rotations; n++ {
		for _, entry := range strings.Fields(lines(t, fmt.Sprintf("%s.%d", path, n))) {
			seen[entry]++
		}
	}
	if _, err := os.Stat(path); err == nil {
		for _, entry := range strings.Fields(lines(t, path)) {
			seen[entry]++
		}
	}
	if len(seen) != each*writers {
		t.Fatalf("%d entries after %d rotations, want %d", len(seen), rotations, each*writers)
	}
	for id := 1; id <= each*writers; id++ { // ids rise by one over all files
		found := false
		for entry := range seen {
			found = found || strings.HasPrefix(entry, fmt.Sprintf("%dw", id))
		}
		if !found {
			t.Errorf("id %d is missing", id)
		}
	}
}
