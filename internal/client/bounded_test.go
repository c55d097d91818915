package client

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

// TestAnAnswerIsReadNoFurtherThanItMayBeLong counts what a node could get rid of.
func TestAnAnswerIsReadNoFurtherThanItMayBeLong(t *testing.T) {
	var sent atomic.Int64
	a := served(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "2147483648")
		w.WriteHeader(map[bool]int{true: 200, false: 500}[r.Method == http.MethodGet])
		block := []byte(strings.Repeat(" ", 1<<20))
		for range 2048 {
			n, err := w.Write(block)
			if sent.Add(int64(n)); err != nil {
				return
			}
		}
	})
	for name, c := range map[string]struct {
		call func() error
		most int64
	}{
		"one thing": {func() error { _, err := a.Capabilities(t.Context()); return err }, maxObject},
		"a refusal": {func() error { _, err := a.CreateDisk(t.Context(), api.CreateLUN{IQN: "q"}); return err }, maxObject},
		"a list":    {func() error { _, err := a.Targets(t.Context()); return err }, maxAnswer},
	} {
		sent.Store(0)
		err := c.call()
		if !fault.Is(err, fault.Upstream) || fault.CodeOf(err) != "agent_protocol" || !strings.Contains(err.Error(), "the answer is larger than") {
			t.Errorf("%s: %v", name, err)
		}
		// The kernel's buffers between the two take some megabytes more.
		if n := sent.Load(); n > c.most+16<<20 {
			t.Errorf("%s: %d bytes were sent", name, n)
		}
	}
}
