package metrics

import (
	"maps"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// requests counts answers. The label handles are looked up once a route and
// status and then kept: 10,000 machines that boot together pay for one map
// look-up each and no lock.
type requests struct {
	total   *prometheus.CounterVec
	latency *prometheus.HistogramVec

	known *atomic.Pointer[map[routeKey]*handles]
	mu    *sync.Mutex // of those who add to known
}

type routeKey struct{ method, route string }

type handles struct {
	latency  prometheus.Observer // nil where an answer lasts as long as its reader stays
	byStatus [600]atomic.Pointer[prometheus.Counter]
}

func newRequests() requests {
	r := requests{
		total:   prometheus.NewCounterVec(counter("http_requests_total", "Answers, by method, route and status."), []string{"method", "route", "status"}),
		latency: prometheus.NewHistogramVec(histogram("http_request_duration_seconds", "Time to answer, by method and route.", seconds), []string{"method", "route"}),
		known:   new(atomic.Pointer[map[routeKey]*handles]),
		mu:      new(sync.Mutex),
	}
	r.known.Store(&map[routeKey]*handles{})
	return r
}

// Request notes one answer. route is the template, "" for a path that is none
// of ours: its method is the caller's invention and no label either.
func (m *Metrics) Request(method, route string, status int, took time.Duration) {
	if route == "" {
		method, route = "", "unmatched"
	}
	h := m.requests.handles(routeKey{method, route})
	if h.latency != nil {
		h.latency.Observe(took.Seconds())
	}
	status = min(max(status, 0), len(h.byStatus)-1)
	c := h.byStatus[status].Load()
	if c == nil {
		made := m.requests.total.WithLabelValues(method, route, strconv.Itoa(status))
		c = &made
		h.byStatus[status].Store(c)
	}
	(*c).Inc()
}

func (r requests) handles(k routeKey) *handles {
	if h, ok := (*r.known.Load())[k]; ok {
		return h
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	known := *r.known.Load()
	if h, ok := known[k]; ok {
		return h
	}
	h := &handles{}
	if k.route != "/events" {
		h.latency = r.latency.WithLabelValues(k.method, k.route)
	}
	known = maps.Clone(known)
	known[k] = h
	r.known.Store(&known)
	return h
}
