package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"ipxe-all-ready/internal/lab/fleet"
)

const (
	bootRounds = 25
	bootWindow = 200 * time.Millisecond
	bootConns  = 8
)

// boot compares the throughput of known machines' questions with a bare
// handler's, over connections that stay: what a connection costs is the same
// for both and would hide the difference.
func boot(b *bench) ([]result, error) {
	sizes := []int{10, 1000, 10_000, 100_000}
	if b.quick {
		sizes = []int{10, 10_000}
	}
	urls, asked := make([]string, len(sizes)), make([][][]byte, len(sizes))
	length := 0
	for i, n := range sizes {
		s, err := b.newSite(n, 1, fleet.Trouble{})
		if err != nil {
			return nil, err
		}
		defer s.stop()
		urls[i], asked[i] = s.URL, questions(0, n, true)
		if length, err = lengthOf(s.URL, asked[i][0]); err != nil {
			return nil, err
		}
	}
	bare, stop, err := b.startBare(length)
	if err != nil {
		return nil, err
	}
	defer stop()
	ours, theirs := make([]series, len(sizes)), series(nil) // no ledger is theirs
	for turn := range b.turns(bootRounds) {
		for at := range sizes {
			i := (at + turn) % len(sizes) // none is always the first, after the largest
			for _, side := range []struct {
				url string
				to  *series
			}{{bare, &theirs}, {urls[i], &ours[i]}} {
				rate, err := hammer(side.url, bootConns, bootWindow, asked[i])
				if err != nil {
					return nil, err
				}
				side.to.add(rate)
			}
		}
	}
	var out []result
	for i, n := range sizes {
		out = append(out, result{
			work:  fmt.Sprintf("`GET /boot-vars`, known worker of %s, against a bare Gin handler writing as many bytes", thousands(n)),
			value: ratio(ours[i], theirs), unit: "×", bound: .8, atLeast: true,
			detail: fmt.Sprintf("%s against %s questions a second", thousands(int(ours[i].median())), thousands(int(theirs.median()))),
		})
	}
	var flat series
	for i := range sizes {
		flat.add(ratio(ours[i], theirs))
	}
	return append(out, atMost("the same, the fastest size against the slowest", flat.quantile(.999)/flat.quantile(0), 1.15, "from %s to %s workers", thousands(sizes[0]), thousands(sizes[len(sizes)-1]))), nil
}

func lengthOf(url string, question []byte) (int, error) {
	c, err := dial(url)
	if err != nil {
		return 0, err
	}
	defer c.conn.Close()
	a, err := c.send(question)
	if err != nil || !strings.Contains(string(a.body), "set root-ubuntu iscsi:") {
		return 0, fmt.Errorf("a known machine is told %d %q: %w", a.status, a.body, err)
	}
	return len(a.body), nil
}

const (
	paceEach  = 4 * time.Millisecond // between two questions of one connection
	paceConns = 4
	paceFor   = 5 * time.Second
)

// bootP99 asks for known machines at an even pace, in turns with nothing else
// going on and while new machines come as they do when 10,000 are powered on
// within a minute, and a clone is made.
func bootP99(b *bench) ([]result, error) {
	const known, rounds, between = 10_000, 4, time.Minute / 10_000
	const fresh = int(paceFor / between)
	s, err := b.newSite(known, 1, fleet.Trouble{Waits: true})
	if err != nil {
		return nil, err
	}
	defer s.stop()
	asked := questions(0, known, true)
	var idle, busy series
	for round := range rounds {
		quiet, err := pace(s.URL, asked)
		if err != nil {
			return nil, err
		}
		s.nodes[0].Hold()
		cloned := make(chan error, 1)
		go func() { cloned <- clone(s.URL, round) }()
		stormed := make(chan error, 1)
		go func() {
			stormed <- powerOnEach(s.URL, known+round*fresh, fresh, between)
		}()
		loud, err := pace(s.URL, asked)
		s.nodes[0].Release()
		for _, e := range []error{err, <-cloned, <-stormed} {
			if e != nil {
				return nil, e
			}
		}
		idle.add(quiet.quantile(.99))
		busy.add(loud.quantile(.99))
	}
	return []result{atMost("p99 of `GET /boot-vars` at 10,000 while new machines are registered, 10,000 a minute, and a clone of 5 s is under way, against its idle p99",
		ratio(busy, idle), 3, "p99 %s against %s", seconds(busy.median()), seconds(idle.median()))}, nil
}

// pace is an even load; a question that comes late because the one before took
// long counts from when it was due.
func pace(url string, asked [][]byte) (took series, err error) {
	var wg sync.WaitGroup
	all, errs := make([]series, paceConns), make([]error, paceConns)
	for i := range paceConns {
		c, err := dial(url)
		if err != nil {
			return nil, err
		}
		defer c.conn.Close()
		wg.Go(func() {
			due := time.Now().Add(paceEach * time.Duration(i) / paceConns)
			for at := range int(paceFor / paceEach) {
				time.Sleep(time.Until(due))
				if a, err := c.send(asked[(at*paceConns+i)*31%len(asked)]); err != nil || a.status != 200 {
					errs[i] = fmt.Errorf("status %d: %w", a.status, err)
					return
				}
				all[i].add(time.Since(due).Seconds())
				due = due.Add(paceEach)
			}
		})
	}
	wg.Wait()
	for i := range all {
		if errs[i] != nil {
			return nil, errs[i]
		}
		took = append(took, all[i]...)
	}
	return took, nil
}
