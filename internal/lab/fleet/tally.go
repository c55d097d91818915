package fleet

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Tally counts what the fleet saw. It is safe for concurrent use.
type Tally struct {
	Asked   Times // questions that were answered, from the connection on
	Named   Times // from power on to the name, retries and pauses included
	Console Times // what consoles and operators asked

	mu       sync.Mutex
	faults   map[string]int    // what a machine must never see, by kind
	examples map[string]string // the first of each kind
	notes    map[string]int    // what else happened
}

// NewTally is an empty one.
func NewTally() *Tally {
	return &Tally{faults: map[string]int{}, examples: map[string]string{}, notes: map[string]int{}}
}

// Fault counts what a machine must never see.
func (t *Tally) Fault(kind, example string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.faults[kind]++; t.examples[kind] == "" {
		t.examples[kind] = example
	}
}

// Note counts what may happen.
func (t *Tally) Note(kind string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes[kind]++
}

// Faults are the counts by kind.
func (t *Tally) Faults() map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.faults)
}

// Err names the kinds of faults, nil for none.
func (t *Tally) Err() error {
	faults := t.Faults()
	if len(faults) == 0 {
		return nil
	}
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(faults)) {
		kinds = append(kinds, fmt.Sprintf("%d × %s", faults[kind], kind))
	}
	return fmt.Errorf("faults: %s", strings.Join(kinds, ", "))
}

// Print writes everything.
func (t *Tally) Print(w io.Writer) {
	fmt.Fprintf(w, "\nfrom power on to a name    %s\n", t.Named.Summary())
	fmt.Fprintf(w, "a machine's question       %s\n", t.Asked.Summary())
	t.Asked.Histogram(w)
	fmt.Fprintf(w, "consoles and operators     %s\n", t.Console.Summary())
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, kind := range slices.Sorted(maps.Keys(t.notes)) {
		fmt.Fprintf(w, "  %7d  %s\n", t.notes[kind], kind)
	}
	if len(t.faults) == 0 {
		fmt.Fprintln(w, "no machine saw a fault, and nothing leaked")
	}
	for _, kind := range slices.Sorted(maps.Keys(t.faults)) {
		fmt.Fprintf(w, "FAULT %d × %s, the first: %s\n", t.faults[kind], kind, t.examples[kind])
	}
}

// Times are durations that are kept one by one.
type Times struct {
	mu  sync.Mutex
	all []time.Duration
}

// Add keeps d.
func (t *Times) Add(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, d)
}

func (t *Times) sorted() []time.Duration {
	t.mu.Lock()
	all := slices.Clone(t.all)
	t.mu.Unlock()
	slices.Sort(all)
	return all
}

// Quantile is 0 when nothing was added; q is below 1.
func (t *Times) Quantile(q float64) time.Duration { return quantile(t.sorted(), q) }

// Count is how many there are.
func (t *Times) Count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.all)
}

func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(q*float64(len(sorted)))]
}

// Summary is a line of text.
func (t *Times) Summary() string {
	all := t.sorted()
	if len(all) == 0 {
		return "none"
	}
	round := func(q float64) time.Duration { return quantile(all, q).Round(10 * time.Microsecond) }
	return fmt.Sprintf("%d: p50 %s, p90 %s, p99 %s, p99.9 %s, max %s",
		len(all), round(.5), round(.9), round(.99), round(.999), all[len(all)-1].Round(10*time.Microsecond))
}

// Histogram writes a line for each doubling.
func (t *Times) Histogram(w io.Writer) {
	all := t.sorted()
	for low, limit := 0, 250*time.Microsecond; low < len(all); limit *= 2 {
		high, _ := slices.BinarySearch(all, limit)
		if n := high - low; n > 0 {
			fmt.Fprintf(w, "  < %-8s %8d  %s\n", limit, n, strings.Repeat("#", 1+n*50/len(all)))
		}
		low = high
	}
}
