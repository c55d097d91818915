package metrics

import (
	"errors"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"ipxe-all-ready/internal/fault"
)

func quiet() *Metrics {
	return New(Sources{
		Workers: func() map[string]int { return map[string]int{"ready": 3} },
		Tasks:   func() map[string]int { return nil },
		Faults:  func() int { return 1 },
		Boots:   func() uint64 { return 42 },
		Rivals:  func() int { return 0 },
	})
}

func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func TestAScrapeShowsWhatHappened(t *testing.T) {
	m := quiet()
	m.Request("GET", "/workers", 200, 3*time.Millisecond)
	m.Request("GET", "/workers", 200, 3*time.Millisecond)
	m.Request("GET", "/workers", 304, time.Millisecond)
	m.Request("BREW", "", 404, time.Millisecond)
	m.Request("GET", "/events", 200, time.Hour)
	m.Request("GET", "/workers", -7, time.Millisecond)
	m.Commit(12, 20*time.Millisecond, nil)
	m.Commit(1, time.Second, errors.New("disk full"))
	m.Reload(nil)
	m.Reload(errors.New("no such process"))
	m.AutoRegistered()
	m.TurnedAway("limited")
	m.AgentCall("st1", "GET /lun", nil, time.Millisecond)
	m.AgentCall("st1", "GET /lun", fault.New(fault.Unavailable, "x").WithCode("agent_unreachable"), time.Second)
	m.AgentCall("", "GET /healthz", nil, time.Millisecond)
	got := scrape(t, m)
	for _, line := range []string{
		`ipxe_cp_http_requests_total{method="GET",route="/workers",status="200"} 2`,
		`ipxe_cp_http_requests_total{method="GET",route="/workers",status="304"} 1`,
		`ipxe_cp_http_requests_total{method="",route="unmatched",status="404"} 1`,
		`ipxe_cp_http_requests_total{method="GET",route="/events",status="200"} 1`,
		`ipxe_cp_http_request_duration_seconds_bucket{method="GET",route="/workers",le="0.001"} 2`,
		`ipxe_cp_http_request_duration_seconds_count{method="GET",route="/workers"} 4`,
		`ipxe_cp_commit_changes_sum 13`,
		`ipxe_cp_commit_duration_seconds_count{result="failed"} 1`,
		`ipxe_cp_registrations_refused_total{reason="limited"} 1`,
		`ipxe_cp_dnsmasq_reloads_total{result="ok"} 1`,
		`ipxe_cp_dnsmasq_reloads_total{result="failed"} 1`,
		`ipxe_cp_auto_registrations_total 1`,
		`ipxe_cp_agent_calls_total{agent="st1",result="ok",route="GET /lun"} 1`,
		`ipxe_cp_agent_calls_total{agent="st1",result="agent_unreachable",route="GET /lun"} 1`,
		`ipxe_cp_agent_call_duration_seconds_count{agent="st1",route="GET /lun"} 2`,
		`ipxe_cp_agent_calls_total{agent="probed",result="ok",route="GET /healthz"} 1`,
		`ipxe_cp_workers{state="ready"} 3`,
		`ipxe_cp_boots_total 42`,
		`ipxe_cp_ledger_faults 1`,
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("missing: %s", line)
		}
	}
	if strings.Contains(got, `duration_seconds_count{method="GET",route="/events"}`) {
		t.Error("how long a reader listens is shown as a time to answer")
	}
	if t.Failed() {
		t.Log(got)
	}
}

func TestCountingSideBySideLosesNothing(t *testing.T) {
	m := quiet()
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			for range 20 {
				m.Request("GET", "/boot-vars", 200, time.Millisecond)
			}
		})
	}
	wg.Wait()
	if got := scrape(t, m); !strings.Contains(got, `ipxe_cp_http_requests_total{method="GET",route="/boot-vars",status="200"} 1000`) {
		t.Errorf("%s", got)
	}
}

func TestTwoRegistriesDoNotMeet(t *testing.T) {
	a, b := quiet(), quiet()
	a.AutoRegistered()
	if got := scrape(t, b); !strings.Contains(got, "ipxe_cp_auto_registrations_total 0\n") {
		t.Errorf("%s", got)
	}
}

// BenchmarkRequest is what each answer of the boot path pays.
func BenchmarkRequest(b *testing.B) {
	m := quiet()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			m.Request("GET", "/boot-vars", 200, 37*time.Microsecond)
		}
	})
}
