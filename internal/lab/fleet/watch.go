package fleet

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Sample is what the control plane said of itself at a moment.
type Sample struct {
	At         time.Time
	Resident   int64 // bytes
	Live       int64 // bytes of the heap that the last collection left, about
	Goroutines int
	Files      int // descriptors that are open
	CPU        time.Duration
	Commits    int
	Changes    int // written by those commits
	Registered int // machines, because they booted
	Reloads    int // of dnsmasq
}

// ReadSample takes GET /metrics, of which a line is
//
//	process_resident_memory_bytes 3.5e+07
func ReadSample(ctx context.Context, client *http.Client, url string) (s Sample, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/metrics", nil)
	if err != nil {
		return s, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return s, err
	}
	defer resp.Body.Close()
	s.At = time.Now()
	into := map[string]func(float64){
		"go_memstats_next_gc_bytes":                  func(v float64) { s.Live = int64(v / 2) }, // it comes when the heap has doubled
		"process_resident_memory_bytes":              func(v float64) { s.Resident = int64(v) },
		"go_goroutines":                              func(v float64) { s.Goroutines = int(v) },
		"process_open_fds":                           func(v float64) { s.Files = int(v) },
		"process_cpu_seconds_total":                  func(v float64) { s.CPU = time.Duration(v * float64(time.Second)) },
		"ipxe_cp_commit_changes_count":               func(v float64) { s.Commits = int(v) },
		"ipxe_cp_commit_changes_sum":                 func(v float64) { s.Changes = int(v) },
		"ipxe_cp_auto_registrations_total":           func(v float64) { s.Registered = int(v) },
		`ipxe_cp_dnsmasq_reloads_total{result="ok"}`: func(v float64) { s.Reloads = int(v) },
	}
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		name, value, ok := strings.Cut(lines.Text(), " ")
		set := into[name]
		if !ok || set == nil {
			continue
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return s, fmt.Errorf("metric %s: %w", name, err)
		}
		set(v)
	}
	return s, lines.Err()
}

// watch takes a sample a second until ctx ends and writes one line every so often.
func (f *Fleet) watch(ctx context.Context, every time.Duration, w io.Writer) {
	fmt.Fprintf(w, "%8s %8s %8s %9s %10s %6s %8s %8s %8s\n", "time", "named", "asked", "RSS MiB", "goroutines", "fds", "commits", "reloads", "CPU s")
	start, printed := time.Now(), time.Time{}
	for {
		s, err := ReadSample(ctx, f.client, f.URL)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			f.Tally.Note("the control plane's metrics without an answer")
		} else {
			f.Samples = append(f.Samples, s)
		}
		if err == nil && time.Since(printed) >= every {
			printed = time.Now()
			f.line(w, time.Since(start), s)
		}
		if !pause(ctx, time.Second) {
			return
		}
	}
}

func (f *Fleet) line(w io.Writer, at time.Duration, s Sample) {
	fmt.Fprintf(w, "%8s %8d %8d %9.1f %10d %6d %8d %8d %8.1f\n", at.Round(time.Second), f.Tally.Named.Count(), f.Tally.Asked.Count(),
		float64(s.Resident)/(1<<20), s.Goroutines, s.Files, s.Commits, s.Reloads, s.CPU.Seconds())
}
