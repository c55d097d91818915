package fleet

import (
	"context"
	"fmt"
	"slices"
	"time"
)

const (
	settling  = time.Minute     // in which what was under way has ended
	spare     = 8               // goroutines and files that come and go
	spareNode = 2               // of each for a node: a connection that is just being used
	shortest  = 2 * time.Minute // a load held shorter tells nothing of memory
	grows     = 8 << 20         // bytes on top of a seventh: lists and rings that still fill up
	growsRSS  = 24 << 20        // and as the kernel sees it: what was freed goes back slowly
)

// idle waits until the control plane does nothing, at most for settling, and says
// what it holds then. Connections to nodes are closed for it. enough ends the
// wait; nil takes what a moment brings.
func (f *Fleet) idle(ctx context.Context, enough func(Sample) bool) (s Sample, err error) {
	for _, n := range f.Nodes {
		n.server.SetKeepAlivesEnabled(false)
		defer n.server.SetKeepAlivesEnabled(true)
	}
	f.client.CloseIdleConnections()
	f.Crowd.client.CloseIdleConnections()
	for end := time.Now().Add(settling); ; {
		if !pause(ctx, time.Second) {
			return s, ctx.Err()
		}
		if s, err = ReadSample(ctx, f.client, f.URL); err != nil {
			return s, err
		}
		if enough == nil || enough(s) || time.Now().After(end) {
			return s, nil
		}
	}
}

// back reports whether s holds no more goroutines and files than before the load.
func (f *Fleet) back(s Sample) bool {
	room := spare + spareNode*len(f.Nodes)
	return s.Goroutines <= f.Before.Goroutines+room && s.Files <= f.Before.Files+room
}

// leaks are sentences about what the control plane did not give back.
func (f *Fleet) leaks() (out []string) {
	if !f.back(f.After) {
		out = append(out, fmt.Sprintf("idle again, ipxe-cp has %d goroutines and %d open files, and had %d and %d before the load",
			f.After.Goroutines, f.After.Files, f.Before.Goroutines, f.Before.Files))
	}
	first, last := f.thirds()
	if first.Live == 0 {
		return out
	}
	if last.Live > first.Live+first.Live/7+grows {
		out = append(out, fmt.Sprintf("under the same load ipxe-cp's live memory went from %s to %s", mebibytes(first.Live), mebibytes(last.Live)))
	}
	if last.Resident > first.Resident+first.Resident/7+growsRSS {
		out = append(out, fmt.Sprintf("under the same load ipxe-cp's resident memory went from %s to %s", mebibytes(first.Resident), mebibytes(last.Resident)))
	}
	return out
}

// thirds are the medians of the second and of the last third of the held load;
// zero where it was too short to tell. The first third fills what is bounded.
func (f *Fleet) thirds() (second, last Sample) {
	var held []Sample
	for _, s := range f.Samples {
		if !f.heldAt.IsZero() && s.At.After(f.heldAt) && s.At.Before(f.heldAt.Add(f.o.Hold)) {
			held = append(held, s)
		}
	}
	if f.o.Hold < shortest || len(held) < 30 {
		return second, last
	}
	n := len(held) / 3
	return median(held[n : 2*n]), median(held[2*n:])
}

func median(of []Sample) (m Sample) {
	middle := func(value func(Sample) int64) int64 {
		all := make([]int64, len(of))
		for i, s := range of {
			all[i] = value(s)
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	m.Live = middle(func(s Sample) int64 { return s.Live })
	m.Resident = middle(func(s Sample) int64 { return s.Resident })
	return m
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
