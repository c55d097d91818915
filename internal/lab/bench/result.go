package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// result is one line of the page.
type result struct {
	work    string  // what is measured
	value   float64 // as it came out
	unit    string  // "×" for a ratio
	bound   float64
	atLeast bool   // value must reach the bound; else it must not pass it
	detail  string // the absolute figures of this run
	missing string // why it was not measured
	failed  error
}

// atMost is the usual kind: a ratio that must not pass its bound.
func atMost(work string, value, bound float64, detail string, args ...any) result {
	return result{work: work, value: value, unit: "×", bound: bound, detail: fmt.Sprintf(detail, args...)}
}

func (r result) pass() bool {
	switch {
	case r.failed != nil, r.missing != "":
		return false
	case r.atLeast:
		return r.value >= r.bound
	}
	return r.value <= r.bound
}

func (r result) verdict() string {
	switch {
	case r.failed != nil:
		return "failed"
	case r.missing != "":
		return "not measured"
	case r.pass():
		return "kept"
	}
	return "**missed**"
}

func (r result) measured() string { return number(r.value) + unit(r.unit) }

func (r result) limit() string {
	sign := "≤ "
	if r.atLeast {
		sign = "≥ "
	}
	return sign + number(r.bound) + unit(r.unit)
}

func (r result) String() string {
	switch {
	case r.failed != nil:
		return fmt.Sprintf("%s: FAILED: %v", r.work, r.failed)
	case r.missing != "":
		return fmt.Sprintf("%s: not measured: %s", r.work, r.missing)
	}
	return fmt.Sprintf("%s: %s (%s) %s; %s", r.work, r.measured(), r.limit(), strings.Trim(r.verdict(), "*"), r.detail)
}

func unit(u string) string {
	if u == "×" {
		return "×"
	}
	return " " + u
}

// number has three figures at most.
func number(v float64) string {
	switch {
	case v == float64(int(v)), v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.2f", v), "0")
}

// series are the measurements of one thing, in seconds, a second, or whatever it is.
type series []float64

func (s *series) add(v float64) { *s = append(*s, v) }

// time runs do and keeps how long it took, in seconds.
func (s *series) time(do func() error) error {
	begun := time.Now()
	err := do()
	s.add(time.Since(begun).Seconds())
	return err
}

func (s series) quantile(q float64) float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[int(q*float64(len(sorted)))]
}

func (s series) median() float64 { return s.quantile(.5) }

// ratio compares the medians of what was measured in turns, so that both saw the
// same noise.
func ratio(a, b series) float64 { return a.median() / b.median() }

// seconds writes a time for people.
func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	for _, step := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= step {
			return d.Round(step / 100).String()
		}
	}
	return d.String()
}
