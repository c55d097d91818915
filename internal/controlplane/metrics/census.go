package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
)

// census is a gauge by state that is counted when it is asked for.
type census struct {
	desc  *prometheus.Desc
	count func() map[string]int
}

func newCensus(name, help string, count func() map[string]int) *census {
	return &census{prometheus.NewDesc(namespace+"_"+name, help, []string{"state"}, nil), count}
}

// Describe is a prometheus.Collector's.
func (c *census) Describe(ch chan<- *prometheus.Desc) { ch <- c.desc }

// Collect is a prometheus.Collector's.
func (c *census) Collect(ch chan<- prometheus.Metric) {
	for state, n := range c.count() {
		ch <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, float64(n), state)
	}
}
