// Package metrics owns what Prometheus may ask an agent: names, labels and
// buckets. It keeps a registry of its own; the composition root hands its
// methods to those who have news.
package metrics

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"ipxe-all-ready/internal/agent/export"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/version"
)

const namespace = "ipxe_agent"

// Metrics is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry

	requests    *prometheus.CounterVec
	requestTime *prometheus.HistogramVec
	clones      *prometheus.CounterVec
	cloneBytes  *prometheus.CounterVec
	cloneTime   *prometheus.HistogramVec
	calls       *prometheus.CounterVec
	callTime    *prometheus.HistogramVec
	scans       *prometheus.CounterVec
	restarts    prometheus.Counter
	refusals    prometheus.Counter
	turnedAway  prometheus.Counter
}

// Buckets, in seconds: of answers and calls, and of clones.
var (
	quick = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}
	long  = []float64{.001, .01, .1, .5, 1, 5, 15, 60, 300, 900, 1800, 3600, 7200}
)

// New makes a registry with everything in it but what Count adds.
func New() *Metrics {
	m := &Metrics{
		registry:    prometheus.NewRegistry(),
		requests:    prometheus.NewCounterVec(counter("http_requests_total", "Answers, by method, route and status."), []string{"method", "route", "status"}),
		requestTime: prometheus.NewHistogramVec(histogram("http_request_duration_seconds", "Time to answer, by method and route.", quick), []string{"method", "route"}),
		clones:      prometheus.NewCounterVec(counter("clones_total", "Clones of masters, by kind (reflink, copy, or none: it ended before that was known) and result (ok, cancelled or the error's code)."), []string{"kind", "result"}),
		cloneBytes:  prometheus.NewCounterVec(counter("clone_bytes_total", "Bytes of the disks that were cloned, holes included, by kind."), []string{"kind"}),
		cloneTime:   prometheus.NewHistogramVec(histogram("clone_duration_seconds", "Time of clones that succeeded, from the request to the target, by kind.", long), []string{"kind"}),
		calls:       prometheus.NewCounterVec(counter("tgtadm_calls_total", "Runs of tgtadm, by call and result (ok, cancelled or the error's code)."), []string{"call", "result"}),
		callTime:    prometheus.NewHistogramVec(histogram("tgtadm_duration_seconds", "Time of runs of tgtadm, by call.", quick), []string{"call"}),
		scans:       prometheus.NewCounterVec(counter("scans_total", "Comparisons of the image folder with the targets, by result (ok, cancelled or the error's code)."), []string{"result"}),
		restarts:    prometheus.NewCounter(counter("iscsi_server_restarts_total", "Times the iSCSI server was found to be started anew.")),
		refusals:    prometheus.NewCounter(counter("low_space_refusals_total", "Disks that were not made for lack of space.")),
		turnedAway:  prometheus.NewCounter(counter("refused_initiators_total", "Initiators that a disk did not admit, each once in ten minutes and disk.")),
	}
	m.registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), build(),
		m.requests, m.requestTime, m.clones, m.cloneBytes, m.cloneTime, m.calls, m.callTime, m.scans, m.restarts, m.refusals, m.turnedAway,
	)
	return m
}

func histogram(name, help string, buckets []float64) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}
}

func counter(name, help string) prometheus.CounterOpts {
	return prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}
}

func build() prometheus.Collector {
	v := version.Info()
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "1, with what this build is.",
		ConstLabels: prometheus.Labels{"version": v.Version, "commit": v.Commit, "go": v.Go},
	})
	g.Set(1)
	return g
}

// Handler answers a scrape.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Count adds what is counted at every scrape.
func (m *Metrics) Count(s Sources) { m.registry.MustRegister(newCensus(s)) }

// Request notes one answer. route is the template, "" for a path that is none
// of ours: its method is the caller's invention and no label either.
func (m *Metrics) Request(method, route string, status int, took time.Duration) {
	if route == "" {
		method, route = "", "unmatched"
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.requestTime.WithLabelValues(method, route).Observe(took.Seconds())
}

// Tgtadm notes one run of the tool.
func (m *Metrics) Tgtadm(call string, err error, took time.Duration) {
	m.calls.WithLabelValues(call, result(err)).Inc()
	m.callTime.WithLabelValues(call).Observe(took.Seconds())
}

// Disk notes what became of a disk that was asked for.
func (m *Metrics) Disk(d export.Ended) {
	if fault.Is(d.Err, fault.NoSpace) {
		m.refusals.Inc()
	}
	if !d.Cloned {
		return
	}
	kind := d.Way
	if kind == "" {
		kind = "none"
	}
	m.clones.WithLabelValues(kind, result(d.Err)).Inc()
	if d.Err == nil {
		m.cloneBytes.WithLabelValues(kind).Add(float64(d.Bytes))
		m.cloneTime.WithLabelValues(kind).Observe(d.Took.Seconds())
	}
}

// Scan notes that folder and targets were compared.
func (m *Metrics) Scan(err error) { m.scans.WithLabelValues(result(err)).Inc() }

// Restart notes that the iSCSI server was started anew.
func (m *Metrics) Restart() { m.restarts.Inc() }

// TurnedAway notes that a disk did not admit an initiator.
func (m *Metrics) TurnedAway() { m.turnedAway.Inc() }

func result(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, context.Canceled) && fault.As(err) == nil:
		return "cancelled"
	}
	return fault.CodeOf(err)
}
