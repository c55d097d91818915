package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/lab/fleet"
)

// workers asks for the list anew after a machine has booted, which is the
// costliest kind, and for one that is held already.
func workers(b *bench) ([]result, error) {
	s, err := b.newSite(10_000, 1, fleet.Trouble{})
	if err != nil {
		return nil, err
	}
	defer s.stop()
	c, err := dial(s.URL)
	if err != nil {
		return nil, err
	}
	defer c.conn.Close()
	if _, err := hammer(s.URL, 1, time.Second, questions(0, 10_000, true)); err != nil { // rows have a last boot
		return nil, err
	}
	first, err := c.get("/workers")
	if err != nil {
		return nil, err
	}
	var list []api.Worker
	if err := json.Unmarshal(first.body, &list); err != nil || len(list) != 10_000 {
		return nil, fmt.Errorf("%d workers: %w", len(list), err)
	}
	asked := questions(0, 10_000, true)
	var ours, plain series
	for i := range b.turns(40) {
		if _, err := c.send(asked[i*97]); err != nil {
			return nil, err
		}
		if err := ours.time(func() error { _, err := c.get("/workers"); return err }); err != nil {
			return nil, err
		}
		if err := plain.time(func() error { _, err := json.Marshal(list); return err }); err != nil {
			return nil, err
		}
	}
	unchanged, bare, err := b.notModified(s, c)
	if err != nil {
		return nil, err
	}
	return []result{
		atMost("`GET /workers`, 10,000, after a boot, against encoding the same slice with encoding/json", ratio(ours, plain), 1.3,
			"%s against %s, %.1f MB", seconds(ours.median()), seconds(plain.median()), float64(len(first.body))/1e6),
		atMost("the same, unchanged: `304` against a bare handler", ratio(unchanged, bare), 2, "%s against %s", seconds(unchanged.median()), seconds(bare.median())),
	}, nil
}

func (b *bench) notModified(s *site, c *caller) (ours, bare series, err error) {
	held, err := c.get("/workers")
	if err != nil {
		return nil, nil, err
	}
	url, stop, err := b.startBare(1)
	if err != nil {
		return nil, nil, err
	}
	defer stop()
	other, err := dial(url)
	if err != nil {
		return nil, nil, err
	}
	defer other.conn.Close()
	question := request("/workers", "If-None-Match: "+held.etag)
	for range b.turns(2000) {
		for _, side := range []struct {
			c  *caller
			to *series
		}{{c, &ours}, {other, &bare}} {
			if err := side.to.time(func() error {
				a, err := side.c.send(question)
				if err == nil && a.status != 304 {
					err = fmt.Errorf("status %d", a.status)
				}
				return err
			}); err != nil {
				return nil, nil, err
			}
		}
	}
	return ours, bare, nil
}

// operations holds a trail of a million lines against one of a thousand.
func operations(b *bench) ([]result, error) {
	sizes := []int{1000, 1_000_000}
	if b.quick {
		sizes[1] = 100_000
	}
	var sites [2]*fleet.ControlPlane
	var starts [2]series
	var bytes float64
	for i, n := range sizes {
		home, err := b.folder("trail")
		if err != nil {
			return nil, err
		}
		if err := (fleet.Files{}).Write(home); err != nil {
			return nil, err
		}
		if bytes, err = writeTrail(filepath.Join(home, "state", "operations.jsonl"), n); err != nil {
			return nil, err
		}
		for turn := range 4 {
			if sites[i] != nil {
				if err := sites[i].Stop(); err != nil {
					return nil, err
				}
			}
			begun := time.Now()
			if sites[i], err = fleet.StartControlPlane(b.program("ipxe-cp"), home); err != nil {
				return nil, err
			}
			if turn > 0 { // the first reads it from the disk
				starts[i].add(time.Since(begun).Seconds())
			}
		}
		defer sites[i].Stop()
	}
	index := (starts[1].median() - starts[0].median()) * 250e6 / bytes
	var out []result
	for _, kind := range []struct{ words, query string }{
		{"`GET /operations?since=` 100 before the end", "since=%d&limit=100"}, {"`GET /operations?tail=100`", "tail=100"},
	} {
		var took [2]series
		for range b.turns(300) {
			for i, n := range sizes {
				path := "/operations?" + kind.query
				if kind.query[0] == 's' {
					path = fmt.Sprintf(path, n-100)
				}
				c, err := dial(sites[i].URL)
				if err != nil {
					return nil, err
				}
				err = took[i].time(func() error { return hundred(c, path) })
				_ = c.conn.Close()
				if err != nil {
					return nil, err
				}
			}
		}
		out = append(out, atMost(kind.words+" of "+thousands(sizes[1])+" lines, against 1,000", ratio(took[1], took[0]), 2, "%s against %s", seconds(took[1].median()), seconds(took[0].median())))
	}
	return append(out, result{work: "its index at a start, for 250 MB", value: index, unit: "s", bound: 1,
		detail: fmt.Sprintf("start with %.0f MB %s, with 1,000 lines %s", bytes/1e6, seconds(starts[1].median()), seconds(starts[0].median()))}), nil
}

func hundred(c *caller, path string) error {
	a, err := c.get(path)
	if err != nil || a.status != 200 {
		return fmt.Errorf("%s: status %d: %w", path, a.status, err)
	}
	var page struct{ Entries []json.RawMessage }
	if err := json.Unmarshal(a.body, &page); err != nil || len(page.Entries) != 100 {
		return fmt.Errorf("%s: %d entries: %w", path, len(page.Entries), err)
	}
	return nil
}

// writeTrail writes n ordinary lines and returns how many bytes they are.
func writeTrail(path string, n int) (float64, error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(w, `{"id":%d,"ts":"2026-07-01T08:00:00.000Z","op":"worker.disk.create","status":"succeeded","worker_id":"worker-%05d",`+
			`"agent":"storage-1","client":"192.168.80.20","ref":%d,"iqn":"iqn.2026-07.com.controller:worker-%05d.ubuntu"}`+"\n", i, i%10000, i-1, i%10000)
	}
	if err := w.Flush(); err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return float64(info.Size()), nil
}
