package audit

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ipxe-all-ready/internal/fault"
)

func TestWhatHappensWhileTheFileIsAwayIsWrittenOnceWhenItIsBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "operations.jsonl")
	must(t, os.Mkdir(path, 0o755))
	l := open(t, path)
	if err := l.Ready(); !fault.Is(err, fault.Unavailable) || fault.Sentence(err) != "the audit trail "+path+" is not a regular file" {
		t.Error(err)
	}
	if _, err := l.Start(ctx, OpLUNScan, Fields{}); !fault.Is(err, fault.Unavailable) {
		t.Error(err)
	}
	if _, err := l.Query(Query{}); !fault.Is(err, fault.Unavailable) {
		t.Error(err)
	}
	const many = 50
	var wg sync.WaitGroup
	for range many {
		wg.Go(func() {
			if l.Once(ctx, OpAutoRegister, Fields{}) == nil {
				t.Error("it cannot have been written")
			}
		})
	}
	wg.Wait()
	must(t, os.Remove(path))
	must(t, l.Ready())
	must(t, l.Once(ctx, OpDNSMasqReload, Fields{}))
	got, err := os.ReadFile(path)
	must(t, err)
	if n := strings.Count(string(got), `"auto_register"`); n != many || !strings.HasPrefix(string(got), `{"id":1,`) || !strings.Contains(string(got), `{"id":51,"ts":"2026-07-06T08:00:00.123Z","op":"dnsmasq.reload"`) {
		t.Errorf("%d of %d\n%s", n, many, got)
	}
}

func TestEntriesUnderWayWhileTheFileComesBackAreAllWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "operations.jsonl")
	must(t, os.Mkdir(path, 0o755))
	l := open(t, path)
	const many = 100
	var wg sync.WaitGroup
	for i := range many {
		wg.Go(func() {
			if i == many/2 {
				if err := os.Remove(path); err != nil {
					t.Error(err)
				}
			}
			_ = l.Once(ctx, OpAutoRegister, Fields{}) // refused or not, it happened
		})
	}
	wg.Wait()
	must(t, l.Ready())
	if page, err := l.Query(Query{}); err != nil || len(page.Entries) != many {
		t.Errorf("%d of %d, %v", len(page.Entries), many, err)
	}
}
