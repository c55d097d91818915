package metrics

import (
	"cmp"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/version"
)

const namespace = "ipxe_cp"

// Sources are asked at every scrape, so that they cost nothing in between.
type Sources struct {
	Workers func() map[string]int // by state
	Tasks   func() map[string]int // by state
	Faults  func() int            // files that cannot be read or written
	Boots   func() uint64         // boot scripts given to known machines
	Rivals  func() int            // disks with more than one machine on them
}

// Metrics is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	requests requests

	commitSize   prometheus.Histogram
	commitTime   *prometheus.HistogramVec
	reloads      *prometheus.CounterVec
	agentCalls   *prometheus.CounterVec
	agentTime    *prometheus.HistogramVec
	registration prometheus.Counter
	turnedAway   *prometheus.CounterVec
}

// seconds are the buckets of what takes from 100 µs to minutes.
var seconds = []float64{.0001, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}

// New makes a registry with everything in it.
func New(s Sources) *Metrics {
	m := &Metrics{
		registry:     prometheus.NewRegistry(),
		requests:     newRequests(),
		commitSize:   prometheus.NewHistogram(histogram("commit_changes", "Changes written together by one commit.", []float64{1, 2, 5, 10, 25, 50, 100, 250, 500, 1000})),
		commitTime:   prometheus.NewHistogramVec(histogram("commit_duration_seconds", "Time a commit took until it was on disk, by result.", seconds), []string{"result"}),
		reloads:      prometheus.NewCounterVec(counter("dnsmasq_reloads_total", "Reloads of dnsmasq, retries included, by result."), []string{"result"}),
		agentCalls:   prometheus.NewCounterVec(counter("agent_calls_total", "Calls to storage nodes, by agent, route and result (ok or the error's code)."), []string{"agent", "route", "result"}),
		agentTime:    prometheus.NewHistogramVec(histogram("agent_call_duration_seconds", "Time of calls to storage nodes, by agent and route.", seconds), []string{"agent", "route"}),
		registration: prometheus.NewCounter(counter("auto_registrations_total", "Machines registered because they booted.")),
		turnedAway:   prometheus.NewCounterVec(counter("registrations_refused_total", "Requests of new machines that were not registered, by reason (limited, full, off or the error's code)."), []string{"reason"}),
	}
	m.registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), build(),
		m.requests.total, m.requests.latency, m.commitSize, m.commitTime, m.reloads, m.agentCalls, m.agentTime, m.registration, m.turnedAway,
		prometheus.NewCounterFunc(counter("boots_total", "Boot scripts given to known machines."), func() float64 { return float64(s.Boots()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: "ledger_faults", Help: "Ledger files that a hand edit broke."},
			func() float64 { return float64(s.Faults()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: "disks_with_two_initiators", Help: "Disks that more than one machine is logged in to, as their nodes told last."},
			func() float64 { return float64(s.Rivals()) }),
		newCensus("workers", "Workers by state.", s.Workers), newCensus("tasks", "Tasks by state.", s.Tasks),
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

// Commit notes what one commit of the ledger wrote.
func (m *Metrics) Commit(changes int, took time.Duration, err error) {
	m.commitSize.Observe(float64(changes))
	m.commitTime.WithLabelValues(result(err)).Observe(took.Seconds())
}

// Reload notes that dnsmasq was told to read its file.
func (m *Metrics) Reload(err error) { m.reloads.WithLabelValues(result(err)).Inc() }

// AutoRegistered notes one machine that got its name by booting.
func (m *Metrics) AutoRegistered() { m.registration.Inc() }

// TurnedAway notes one that did not; reason is a word.
func (m *Metrics) TurnedAway(reason string) { m.turnedAway.WithLabelValues(reason).Inc() }

// AgentCall notes a call to a storage node; agent is "" for one that is probed
// before it has an id.
func (m *Metrics) AgentCall(agent, route string, err error, took time.Duration) {
	agent = cmp.Or(agent, "probed")
	code := "ok"
	if err != nil {
		code = fault.CodeOf(err)
	}
	m.agentCalls.WithLabelValues(agent, route, code).Inc()
	m.agentTime.WithLabelValues(agent, route).Observe(took.Seconds())
}

func result(err error) string {
	if err != nil {
		return "failed"
	}
	return "ok"
}
