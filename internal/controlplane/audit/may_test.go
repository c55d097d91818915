package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ipxe-all-ready/internal/fault"
)

var errAnother = errors.New("the lock is lost")

func TestARefusalToWriteIsToldInItsOwnWordsAndNothingIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "operations.jsonl")
	refused := fault.Wrap(fault.Unavailable, errAnother, "the lock /x was replaced: another may write here")
	var may error
	l := Open(path, Options{Now: monday, May: func() error { return may }})
	span := start(t, l, OpLUNScan, Fields{})
	before, err := os.ReadFile(path)
	must(t, err)
	may = refused
	for name, err := range map[string]error{
		"a start": func() error { _, err := l.Start(ctx, OpLUNScan, Fields{}); return err }(),
		"an end":  span.Succeed(ctx, Fields{}), "what happened": l.Once(ctx, OpAutoRegister, Fields{}), "the next look": l.Ready(),
	} {
		if fault.Sentence(err) != fault.Sentence(refused) || !errors.Is(err, errAnother) {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(t, l.Close()) // with two entries owed
	wantFile(t, path, string(before))
}

func TestAStormDuringWhichWritesAreRefusedNowAndThenLosesAndDoublesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "operations.jsonl")
	var asked atomic.Int64
	var over atomic.Bool
	l := Open(path, Options{Now: monday, May: func() error {
		if n := asked.Add(1); !over.Load() && n%3 != 0 {
			return fault.New(fault.Unavailable, "refused")
		}
		return nil
	}})
	const many = 200
	begun := make([]bool, many)
	var wg sync.WaitGroup
	for i := range many {
		wg.Go(func() {
			_ = l.Once(ctx, OpAutoRegister, Fields{WorkerID: fmt.Sprintf("once-%d.", i)}) // refused or not, it happened
			if s, err := l.Start(ctx, OpLUNScan, Fields{WorkerID: fmt.Sprintf("span-%d.", i)}); err == nil {
				begun[i] = true
				_ = s.Succeed(ctx, Fields{})
			}
		})
	}
	wg.Wait()
	over.Store(true)
	must(t, l.Ready())
	must(t, l.Close())
	text, err := os.ReadFile(path)
	must(t, err)
	for i := range many {
		want := 0
		if begun[i] {
			want = 2
		}
		if once, span := strings.Count(string(text), fmt.Sprintf("once-%d.", i)), strings.Count(string(text), fmt.Sprintf("span-%d.", i)); once != 1 || span != want {
			t.Errorf("%d happened once and stands %d times; an operation that began, %v, stands %d times", i, once, begun[i], span)
		}
	}
}
