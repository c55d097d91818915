package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/secret"
)

// controlPlaneAt is a client that waits for nothing.
func controlPlaneAt(t *testing.T, h http.HandlerFunc) *ControlPlane {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return NewControlPlane(ControlPlaneOptions{
		BaseURL: s.URL + "/api/cp/", Token: secret.New("tok"), Timeout: 10 * time.Second,
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
}

func TestTheControlPlanesFaultComesBackAsItLeft(t *testing.T) {
	for _, c := range []struct {
		status             int
		code, detail, text string
		kind               fault.Kind
	}{
		{400, "invalid", `"mac \"x\" is no MAC"`, `mac "x" is no MAC`, fault.Invalid},
		{400, "unsupported", `"lio backend does not support cd"`, "lio backend does not support cd", fault.Unsupported},
		{401, "unauthorized", `"unauthorized"`, "unauthorized", fault.Unauthorized},
		{403, "forbidden", `"this token may only read"`, "this token may only read", fault.Forbidden},
		{404, "not_found", `"worker x not found"`, "worker x not found", fault.NotFound},
		{409, "exists", `"worker x exists"`, "worker x exists", fault.Exists},
		{409, "in_progress", `"disk is being made"`, "disk is being made", fault.InProgress},
		{409, "target_in_use", `{"agent":"st1","error":"in use by iqn.x"}`, "agent st1: in use by iqn.x", fault.InUse},
		{413, "too_large", `"too large"`, "too large", fault.TooLarge},
		{500, "internal", `{"agent":"st1","error":"tgtadm: no"}`, "agent st1: tgtadm: no", fault.Internal},
		{502, "agent_unauthorized", `{"agent":"st1","error":"unauthorized"}`, "agent st1: unauthorized", fault.Upstream},
		{503, "ledger_unreadable", `"workers.yml line 3"`, "workers.yml line 3", fault.Unavailable},
		{507, "no_space", `{"agent":"st1","error":"full"}`, "agent st1: full", fault.NoSpace},
	} {
		cp := controlPlaneAt(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set(api.HeaderRequestID, "req-7")
			w.WriteHeader(c.status)
			fmt.Fprintf(w, `{"detail":%s,"code":%q,"request_id":"req-7"}`, c.detail, c.code)
		})
		_, err := cp.Worker(t.Context(), "x")
		f := fault.As(err)
		if f == nil || f.Kind != c.kind || f.Code != c.code || f.Text != c.text || (f.Detail != nil) != strings.HasPrefix(c.text, "agent ") {
			t.Errorf("%d %s: %+v", c.status, c.code, f)
		}
		var r *Refusal
		if !errors.As(err, &r) || r.Status != c.status || r.RequestID != "req-7" {
			t.Errorf("%d: %v", c.status, err)
		}
	}
}

func TestACallGoesWhereItShould(t *testing.T) {
	var got string
	cp := controlPlaneAt(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Method + " " + r.URL.EscapedPath() + " " + r.URL.Query().Encode() + " key=" + r.Header.Get("Idempotency-Key") +
			" prefer=" + r.Header.Get("Prefer") + " " + r.Header.Get("Authorization")
		fmt.Fprint(w, `{"task_id":"t1"}`)
	})
	task, err := cp.StartDisk(WithKey(t.Context(), "k1"), "../x y", api.CreateDisk{OS: "ubuntu", Type: "empty", Size: "1G"})
	if want := "POST /api/cp/workers/..%2Fx%20y/luns/disk  key=k1 prefer=respond-async Bearer tok"; got != want || task != "t1" || err != nil {
		t.Errorf("%q %q %v", got, task, err)
	}
	if _, err := cp.DeleteTarget(t.Context(), "st1", "iqn.2026-07.com.c:x", Removal{IgnoreMissing: true}); err != nil {
		t.Error(err)
	}
	if want := "DELETE /api/cp/agents/st1/luns delete_file=false&force=false&ignore_missing=true&iqn=iqn.2026-07.com.c%3Ax key= prefer= Bearer tok"; got != want {
		t.Errorf("%q", got)
	}
}

// cut ends a connection without an answer.
func cut() { panic(http.ErrAbortHandler) }

func TestReadingIsTriedAgainAndChangingIsNot(t *testing.T) {
	var calls atomic.Int32
	cp := controlPlaneAt(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) <= 2 {
			cut()
		}
		fmt.Fprint(w, `{"worker_id":"x"}`)
	})
	// The transport itself tries a request of which nothing came once more.
	if w, err := cp.Worker(t.Context(), "x"); err != nil || w.WorkerID != "x" {
		t.Errorf("%+v %v", w, err)
	}
	calls.Store(0)
	if _, err := cp.SetMAC(t.Context(), "x", "52:54:00:00:00:01"); fault.CodeOf(err) != "control_plane_unreachable" || calls.Load() != 1 {
		t.Errorf("%d calls, %v", calls.Load(), err)
	}
	calls.Store(-100)
	if _, err := cp.Worker(t.Context(), "x"); fault.CodeOf(err) != "control_plane_unreachable" || !fault.Is(err, fault.Unavailable) {
		t.Errorf("%v", err)
	}
	if n := calls.Load() + 100; n > 6 {
		t.Errorf("it was tried %d times", n)
	}
}

func TestAnAnswerOfWhateverStatusIsNotAskedForAgain(t *testing.T) {
	var calls atomic.Int32
	cp := controlPlaneAt(t, func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	if _, err := cp.Worker(t.Context(), "x"); !fault.Is(err, fault.Unavailable) || calls.Load() != 1 {
		t.Errorf("%d calls, %v", calls.Load(), err)
	}
}

func TestTheTokenStaysWithTheControlPlane(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the redirect was followed with %q", r.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	cp := controlPlaneAt(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, http.StatusFound) })
	if _, err := cp.Worker(t.Context(), "x"); fault.CodeOf(err) != "control_plane_redirect" {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := cp.Watch(ctx, Watcher{State: func(err error) {
		if fault.CodeOf(err) != "control_plane_redirect" {
			t.Errorf("%v", err)
		}
		cancel()
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestAListThatIsHeldIsNotReadAgain(t *testing.T) {
	cp := controlPlaneAt(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `W/"s-1"`)
		if r.Header.Get("If-None-Match") == `W/"s-1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("X-Next-Cursor", "b")
		fmt.Fprint(w, `[{"worker_id":"b"}]`)
	})
	first, err := cp.Workers(t.Context(), WorkerFilter{Limit: 1}, "")
	if err != nil || first.Unchanged || len(first.Rows) != 1 || first.Next != "b" {
		t.Errorf("%+v %v", first, err)
	}
	again, err := cp.Workers(t.Context(), WorkerFilter{Limit: 1}, first.Edition)
	if err != nil || !again.Unchanged || again.Rows != nil {
		t.Errorf("%+v %v", again, err)
	}
}

func TestNotBeingReadyIsAnAnswer(t *testing.T) {
	body := `{"status":"not_ready","faults":[{"file":"workers.yml","line":3,"error":"no"}]}`
	cp := controlPlaneAt(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, body)
	})
	if r, err := cp.Ready(t.Context()); err != nil || r.Status != "not_ready" || len(r.Faults) != 1 {
		t.Errorf("%+v %v", r, err)
	}
	body = "<html>"
	if _, err := cp.Ready(t.Context()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("%v", err)
	}
}
