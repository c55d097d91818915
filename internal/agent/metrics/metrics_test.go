package metrics

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"ipxe-all-ready/internal/agent/export"
	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
)

func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func wantLines(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("missing: %s", line)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestAScrapeShowsWhatHappened(t *testing.T) {
	m := New()
	m.Request("GET", "/lun", 200, 3*time.Millisecond)
	m.Request("GET", "/lun", 503, 3*time.Millisecond)
	m.Request("BREW", "", 404, time.Millisecond)
	m.Disk(export.Ended{Cloned: true, Way: "reflink", Bytes: 10 << 30, Took: 20 * time.Millisecond})
	m.Disk(export.Ended{Cloned: true, Way: "copy", Bytes: 1 << 30, Took: time.Minute})
	m.Disk(export.Ended{Cloned: true, Way: "copy", Err: context.Canceled})
	m.Disk(export.Ended{Cloned: true, Err: fault.New(fault.NoSpace, "full")})
	m.Disk(export.Ended{Err: fmt.Errorf("make it: %w", fault.New(fault.NoSpace, "full"))})
	m.Disk(export.Ended{})
	m.Tgtadm("target_show", nil, time.Millisecond)
	m.Tgtadm("target_show", fault.New(fault.Unavailable, "x").WithCode("tgtd_down"), time.Second)
	m.Scan(nil)
	m.Scan(fault.New(fault.Unavailable, "x"))
	m.Restart()
	wantLines(t, scrape(t, m),
		`ipxe_agent_http_requests_total{method="GET",route="/lun",status="200"} 1`,
		`ipxe_agent_http_requests_total{method="",route="unmatched",status="404"} 1`,
		`ipxe_agent_http_request_duration_seconds_count{method="GET",route="/lun"} 2`,
		`ipxe_agent_clones_total{kind="reflink",result="ok"} 1`,
		`ipxe_agent_clones_total{kind="copy",result="ok"} 1`,
		`ipxe_agent_clones_total{kind="copy",result="cancelled"} 1`,
		`ipxe_agent_clones_total{kind="none",result="no_space"} 1`,
		`ipxe_agent_clone_bytes_total{kind="reflink"} 1.073741824e+10`,
		`ipxe_agent_clone_duration_seconds_count{kind="copy"} 1`,
		`ipxe_agent_low_space_refusals_total 2`,
		`ipxe_agent_tgtadm_calls_total{call="target_show",result="ok"} 1`,
		`ipxe_agent_tgtadm_calls_total{call="target_show",result="tgtd_down"} 1`,
		`ipxe_agent_tgtadm_duration_seconds_count{call="target_show"} 2`,
		`ipxe_agent_scans_total{result="ok"} 1`,
		`ipxe_agent_scans_total{result="unavailable"} 1`,
		`ipxe_agent_iscsi_server_restarts_total 1`,
	)
}

func TestTheNodeIsCountedWhenItIsAsked(t *testing.T) {
	m := New()
	space := store.Space{Free: 400, Total: 10_000, Reserve: 500}
	var broken error
	m.Count(Sources{
		Targets: func(context.Context) ([]target.Target, error) {
			return []target.Target{{Sessions: make([]target.Session, 2)}, {Sessions: make([]target.Session, 1)}}, broken
		},
		Space:  func() (store.Space, error) { return space, broken },
		Tasks:  func() map[string]int { return map[string]int{"running": 1, "queued": 0} },
		Rivals: func() int { return 2 },
	})
	wantLines(t, scrape(t, m),
		`ipxe_agent_iscsi_server_up 1`, `ipxe_agent_targets 2`, `ipxe_agent_sessions 3`,
		`ipxe_agent_image_folder_up 1`, `ipxe_agent_free_bytes 400`, `ipxe_agent_total_bytes 10000`, `ipxe_agent_reserve_bytes 500`, `ipxe_agent_low_space 1`,
		`ipxe_agent_disks_with_two_initiators 2`,
		`ipxe_agent_tasks{state="running"} 1`, `ipxe_agent_tasks{state="queued"} 0`,
	)
	space.Free = 500
	wantLines(t, scrape(t, m), `ipxe_agent_low_space 0`)

	broken = fault.New(fault.Unavailable, "down")
	text := scrape(t, m)
	wantLines(t, text, `ipxe_agent_iscsi_server_up 0`, `ipxe_agent_image_folder_up 0`)
	for _, stale := range []string{"\nipxe_agent_targets ", "\nipxe_agent_sessions ", "\nipxe_agent_free_bytes ", "\nipxe_agent_low_space "} {
		if strings.Contains(text, stale) {
			t.Errorf("shown though nobody knows:%s", stale)
		}
	}
}

func TestCountingSideBySideLosesNothing(t *testing.T) {
	m, other := New(), New()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for range 50 {
				m.Tgtadm("target_show", nil, time.Millisecond)
			}
		})
	}
	wg.Wait()
	wantLines(t, scrape(t, m), `ipxe_agent_tgtadm_calls_total{call="target_show",result="ok"} 1000`)
	if strings.Contains(scrape(t, other), "tgtadm_calls_total{") {
		t.Error("two registries meet")
	}
}
