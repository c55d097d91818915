// Command bench measures what docs/benchmarks.md promises and writes that page.
// Each bound is a ratio within one run: what is ours and what it is held against
// take turns, and medians are compared.
//
//	go run ./internal/lab/bench                  everything (root, about a quarter of an hour)
//	go run ./internal/lab/bench -only 'boot|start' -page ''
//
// It ends with a status other than 0 when a row could not be measured or missed
// its bound.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/fleet"
)

// rows are the page, from top to bottom.
var rows = []row{
	{"boot", "questions of known machines", boot},
	{"boot-p99", "the same during a storm and a clone", bootP99},
	{"storm", "1,000 new machines at once", storm},
	{"registration", "what one registration costs", registration},
	{"workers", "the list of 10,000 workers", workers},
	{"operations", "a trail of a million lines", operations},
	{"batch", "200 disks over 4 nodes", batch},
	{"stgt", "1,000 targets on tgtd", stgt},
	{"lio", "500 targets in the kernel", lio},
	{"reflink", "clones by reflink", reflink},
	{"copy", "copies that keep holes", holeCopy},
	{"start", "a start with 10,000 workers", start},
	{"tui", "the terminal console", terminal},
	{"web", "the browser console", browser},
	{"fleet", "10,000 machines within a minute", tenThousand},
}

// row measures one or a few lines of the page.
type row struct {
	name, what string
	run        func(b *bench) ([]result, error)
}

// bench is one run of all.
type bench struct {
	ctx  context.Context
	root string // of the checkout
	bin  string // folder of the built programs
	dir  string // for what a row needs, on a disk
	out  io.Writer

	quick bool // fewer and shorter turns, smaller ledgers: for the guard
}

// turns is n, or a quarter of it when it has to be quick.
func (b *bench) turns(n int) int {
	if b.quick {
		return (n + 3) / 4
	}
	return n
}

// program is the path of one of ours.
func (b *bench) program(name string) string { return filepath.Join(b.bin, name) }

// folder is a new one.
func (b *bench) folder(name string) (string, error) { return os.MkdirTemp(b.dir, name+"-") }

func main() {
	fleet.PlayRole()
	only := flag.String("only", "", "measure the rows that match this `expression`")
	page := flag.String("page", "docs/benchmarks.md", "`file` to write; none when only some rows are measured")
	bare := flag.Int("bare", 0, "be the handler that is compared with, answering so many `bytes`")
	flag.Parse()
	if *bare > 0 {
		serveBare(*bare)
		return
	}
	ok, err := run(*only, *page)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(only, page string) (ok bool, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	match, err := regexp.Compile(only)
	if err != nil {
		return false, err
	}
	if len(named(match)) == 0 {
		return false, fmt.Errorf("no row matches %q; there are %s", only, strings.Join(named(regexp.MustCompile("")), ", "))
	}
	root, err := lab.Root()
	if err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("/var/tmp", "ipxe-bench-") // a disk, which /tmp need not be
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	b := &bench{ctx: ctx, root: root, bin: filepath.Join(root, "bin"), dir: dir, out: os.Stdout}
	results, ok := b.all(match)
	if ctx.Err() != nil || only != "" || page == "" {
		return ok, ctx.Err()
	}
	return ok, writePage(filepath.Join(root, page), results)
}

// named are the names of the rows that match.
func named(match *regexp.Regexp) (names []string) {
	for _, r := range rows {
		if match.MatchString(r.name) {
			names = append(names, r.name)
		}
	}
	return names
}

// all runs the rows one after another, so that none disturbs another.
func (b *bench) all(match *regexp.Regexp) (results []result, ok bool) {
	ok = true
	for _, r := range rows {
		if !match.MatchString(r.name) || b.ctx.Err() != nil {
			continue
		}
		begun := time.Now()
		fmt.Fprintf(b.out, "%s: %s …\n", r.name, r.what)
		got, err := r.run(b)
		if err != nil {
			got = append(got, result{work: r.what, failed: err})
		}
		for _, g := range got {
			ok = ok && (g.pass() || g.missing != "")
			fmt.Fprintf(b.out, "  %s\n", g)
		}
		fmt.Fprintf(b.out, "  (%s)\n", time.Since(begun).Round(time.Second))
		results = append(results, got...)
	}
	return results, ok
}
