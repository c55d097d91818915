package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/agent/target"
)

// patience of a scrape with the iSCSI server.
const patience = 3 * time.Second

// Sources are asked at every scrape, so that they cost nothing in between.
type Sources struct {
	Targets func(context.Context) ([]target.Target, error)
	Space   func() (store.Space, error)
	Tasks   func() map[string]int // by state
	Rivals  func() int            // disks with more than one machine on them
}

// census counts when it is asked. What cannot be found out is left out: a
// number that is no longer true would hide the fault.
type census struct {
	sources                              Sources
	up, targets, sessions                *prometheus.Desc
	folder, free, total, reserve, scarce *prometheus.Desc
	tasks, rivals                        *prometheus.Desc
}

func newCensus(s Sources) *census {
	d := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(namespace+"_"+name, help, labels, nil)
	}
	return &census{
		sources:  s,
		up:       d("iscsi_server_up", "1 when the iSCSI server answers."),
		targets:  d("targets", "Targets that the iSCSI server shows, foreign ones included."),
		sessions: d("sessions", "Sessions of initiators that are logged in."),
		folder:   d("image_folder_up", "1 when the image folder is there."),
		free:     d("free_bytes", "Free space of the image folder's file system."),
		total:    d("total_bytes", "Size of the image folder's file system."),
		reserve:  d("reserve_bytes", "Free space below which no new disk is made."),
		scarce:   d("low_space", "1 when less than the reserve is free."),
		tasks:    d("tasks", "Copies that were begun as tasks and are remembered, by state.", "state"),
		rivals:   d("disks_with_two_initiators", "Disks that more than one machine is logged in to."),
	}
}

// Describe is a prometheus.Collector's.
func (c *census) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.up, c.targets, c.sessions, c.folder, c.free, c.total, c.reserve, c.scarce, c.tasks, c.rivals} {
		ch <- d
	}
}

// Collect is a prometheus.Collector's.
func (c *census) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	targets, err := c.sources.Targets(ctx)
	gauge(c.up, truth(err == nil))
	if err == nil {
		sessions := 0
		for _, t := range targets {
			sessions += len(t.Sessions)
		}
		gauge(c.targets, float64(len(targets)))
		gauge(c.sessions, float64(sessions))
	}
	space, err := c.sources.Space()
	gauge(c.folder, truth(err == nil))
	if err == nil {
		gauge(c.free, float64(space.Free))
		gauge(c.total, float64(space.Total))
		gauge(c.reserve, float64(space.Reserve))
		gauge(c.scarce, truth(space.Free < space.Reserve))
	}
	gauge(c.rivals, float64(c.sources.Rivals()))
	for state, n := range c.sources.Tasks() {
		gauge(c.tasks, float64(n), state)
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
