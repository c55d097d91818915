package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/lab/fleet"
)

// powerOn has machines ask at once, each over a connection of its own, and
// returns the names they were told.
func powerOn(url string, asked [][]byte) ([]string, error) {
	names := make([]string, len(asked))
	return names, atOnce(len(asked), func(i int) (err error) { names[i], err = nameOf(url, asked[i]); return err })
}

func atOnce(n int, ask func(i int) error) error {
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() { errs[i] = ask(i) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// powerOnEach has n new machines ask one after another, so long after each other.
func powerOnEach(url string, from, n int, between time.Duration) error {
	var wg sync.WaitGroup
	errs := make([]error, n)
	due := time.Now()
	for i, q := range questions(from, n, false) {
		time.Sleep(time.Until(due))
		due = due.Add(between)
		wg.Go(func() { _, errs[i] = nameOf(url, q) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func nameOf(url string, question []byte) (string, error) {
	script, err := askOnce(url, question)
	if err != nil {
		return "", err
	}
	_, rest, ok := strings.Cut(script, "set hostname ")
	if !ok {
		return "", fmt.Errorf("no name in %q", script)
	}
	name, _, _ := strings.Cut(rest, "\n")
	return name, nil
}

// askOnce asks over a connection of its own.
func askOnce(url string, question []byte) (string, error) {
	c, err := dial(url)
	if err != nil {
		return "", err
	}
	defer c.conn.Close()
	a, err := c.send(question)
	return string(a.body), err
}

// storm powers 1,000 new machines on at once, in turns with single ones.
func storm(b *bench) ([]result, error) {
	const had, fresh, rounds, singles = 10_000, 1000, 5, 15
	s, err := b.newSite(had, 1, fleet.Trouble{})
	if err != nil {
		return nil, err
	}
	defer s.stop()
	bare, stop, err := b.startBare(100)
	if err != nil {
		return nil, err
	}
	defer stop()
	next, seen := had, map[string]bool{}
	var alone, together, known, floor, reloads series
	for range rounds {
		var single series
		for range singles {
			var name string
			if err := single.time(func() (err error) { name, err = nameOf(s.URL, questions(next, 1, false)[0]); return }); err != nil {
				return nil, err
			}
			next++
			seen[name] = true
		}
		time.Sleep(2 * time.Second) // what those reload is not the storm's
		before := s.dhcp.Reloads()
		var names []string
		news, olds := questions(next, fresh, false), questions(0, fresh, false)
		if err := together.time(func() (err error) { names, err = powerOn(s.URL, news); return }); err != nil {
			return nil, err
		}
		if err := known.time(func() error { _, err := powerOn(s.URL, olds); return err }); err != nil {
			return nil, err
		}
		if err := floor.time(func() error {
			return atOnce(fresh, func(i int) error { _, err := askOnce(bare, olds[i]); return err })
		}); err != nil {
			return nil, err
		}
		time.Sleep(3 * time.Second)
		reloads.add(float64(s.dhcp.Reloads() - before))
		alone.add(single.median())
		next += fresh
		for _, name := range names {
			seen[name] = true
		}
	}
	return []result{
		{work: "1,000 new MACs at once on a ledger of 10,000: names given, of 1,000 machines none twice", value: float64(len(seen)-rounds*singles) / rounds, unit: "names", bound: fresh, atLeast: true, detail: fmt.Sprintf("%d storms", rounds)},
		{work: "the same, reloads of dnsmasq", value: reloads.quantile(.999), unit: "reloads", bound: 10, detail: "the most of any storm"},
		atMost("the same, wall time against that of one registration alone", ratio(together, alone), 15,
			"%s against %s; 1,000 known machines, which nobody has to register, take %s, 1,000 connections to a bare handler %s",
			seconds(together.median()), seconds(alone.median()), seconds(known.median()), seconds(floor.median())),
	}, nil
}

// post sends JSON and takes JSON.
func post(url string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	resp, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("POST %s: %s: %s", url, resp.Status, answer)
	}
	return json.Unmarshal(answer, out)
}

// clone makes a disk of the master for a worker that has none of that system.
func clone(url string, worker int) error {
	return post(fmt.Sprintf("%s/workers/worker-%05d/luns/disk", url, worker+1),
		api.CreateDisk{OS: "debian", Type: "master", Name: "master_tpl_1.img", DiskAgent: "st-1"}, &api.Worker{})
}

// batch makes 200 disks over 4 nodes that answer in 50 ms.
func batch(b *bench) ([]result, error) {
	const disks, nodes, parallel, answers = 200, 4, 4, 50 * time.Millisecond
	var out []result
	for _, kind := range []struct {
		words string
		waits bool
		each  time.Duration
	}{{"one call a disk", true, answers}, {"a task a disk: two calls, and 20 ms before the second", false, 2*answers + 20*time.Millisecond}} {
		s, err := b.newSite(disks, nodes, fleet.Trouble{Delay: answers, Waits: kind.waits})
		if err != nil {
			return nil, err
		}
		var took series
		for _, os := range []string{"debian", "centos", "windows"} {
			in := api.CreateDisks{Type: "empty", OS: os, Size: "10G"}
			for i := range disks {
				in.Targets = append(in.Targets, api.BatchTarget{WorkerID: fmt.Sprintf("worker-%05d", i+1), Agent: fmt.Sprintf("st-%d", i%nodes+1)})
			}
			var made api.DisksCreated
			err := took.time(func() error { return post(s.URL+"/workers/luns/disk/batch", in, &made) })
			if err == nil && len(made.Succeeded) != disks {
				err = fmt.Errorf("%d of %d disks were made", len(made.Succeeded), disks)
			}
			if err != nil {
				_ = s.stop()
				return nil, err
			}
		}
		if err := s.stop(); err != nil {
			return nil, err
		}
		each := (disks/nodes + parallel - 1) / parallel
		ideal := float64(each) * kind.each.Seconds()
		out = append(out, atMost("batch of 200 disks over 4 nodes answering in 50 ms ("+kind.words+"), against the ideal of 4 at a time a node",
			took.median()/ideal, 1.3, "%s against %s", seconds(took.median()), seconds(ideal)))
	}
	return out, nil
}
