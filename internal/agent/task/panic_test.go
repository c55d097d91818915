package task

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/api"
)

func TestAPanicFailsItsTaskAndNothingElse(t *testing.T) {
	var log bytes.Buffer
	r := New(time.Now, slog.New(slog.NewTextHandler(&log, nil)))
	w := newWork()
	other := begin(t, r, w.do)
	id := begin(t, r, func(context.Context, store.Progress) (api.LUNCreated, error) { panic("boom") })
	w.end <- nil
	r.runs.Wait()
	if got := get(t, r, id); got.State != api.TaskFailed || got.Error != "internal error" || got.Code != "internal" || got.EndedAt == nil {
		t.Errorf("task %+v", got)
	}
	if got := get(t, r, other); got.State != api.TaskSucceeded {
		t.Errorf("the other %+v", got)
	}
	for _, want := range []string{"boom", id, "panic_test.go"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s: %s", want, &log)
		}
	}
	r.Stop()
}
